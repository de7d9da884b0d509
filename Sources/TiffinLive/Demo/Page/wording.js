/** What codes, words and states mean, for people. */
const wording = {
  status: {
    placed: "Your order is placed",
    accepted: "Annapurna accepted it",
    cooking: "It is being cooked",
    picked_up: "It is on its way",
    arriving: "Almost there",
    delivered: "Delivered. Enjoy!",
  },

  shortStatus: {
    placed: "New", accepted: "Accepted", cooking: "Cooking", picked_up: "Picked up", arriving: "Arriving",
    delivered: "Delivered",
  },

  code: {
    401: "Nobody the server knows. Refresh, then come back.",
    403: "Known, but this is not theirs.",
    1001: "The server is going away. Back off, then come back.",
    1006: "The line dropped without a word. Back off, then come back.",
    1012: "The server makes room. Come back when it said, and resume.",
    1013: "The server cannot take it right now. Come back when it said.",
    4001: "The token ran out. Get a new one, then come back and resume.",
    4002: "Another user's token came. Come back with the right one.",
    4003: "Revoked. Show the login screen and make no further attempt.",
    4004: "No right to anything here. Do not try again as it is.",
    4008: "Too slow to read. Come back and resume.",
    4009: "A newer connection took its place. Stay away.",
    4029: "Too much at once. Back off, then come back.",
  },

  /** The chip at the head of a panel. */
  state({ state, code, delay }) {
    switch (state) {
      case "connecting": return "Connecting";
      case "open": return "Live";
      case "refreshing": return "Getting a new token";
      case "waiting": return delay >= 100 ? `Back in ${(delay / 1000).toFixed(1)} s` : "Coming back";
      case "login": return "Signed out";
      case "stopped": return code ? `Stopped by ${code}` : "Stopped";
      default: return "Not started";
    }
  },

  end(code, reason) {
    if (reason === "no connection") return "Nothing answers there. Back off, then try again.";
    if (reason.startsWith("max_age")) return "Open for long enough. Come back when it said, and resume.";
    return this.code[code] ?? (code >= 1002 && code <= 1009 ? "A fault of this client. Stop." : "Back off, then come back.");
  },

  seconds(count) {
    const rest = Math.max(0, Math.round(count));
    return rest < 60 ? `${rest} s` : `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, "0")}`;
  },

  times: (count) => (count === 1 ? "once" : `${count} times`),
};
