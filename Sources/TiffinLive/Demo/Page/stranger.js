"use strict";

/** What another site may try with a user's cookie. Each attempt resolves to what the browser let this page see. */
const attempts = {
  "Listen to the customer's order with an EventSource": (live) => new Promise((resolve) => {
    const source = new EventSource(`${live}/web/orders/123/events`, { withCredentials: true });
    const end = (words) => {
      source.close();
      resolve(words);
    };
    source.onerror = () => end(null);
    for (const name of ["welcome", "status", "close"]) source.addEventListener(name, () => end(`event ${name}`));
  }),

  "Listen to it over a WebSocket": (live) => new Promise((resolve) => {
    const socket = new WebSocket(`${live.replace(/^http/, "ws")}/web/orders/123/events`);
    const end = (words) => {
      socket.close();
      resolve(words);
    };
    // Where the browser sends no cookie along, the server tells the page to sign in: it opens, to close with 4001.
    socket.onmessage = ({ data }) => end(data);
    socket.onclose = () => end(null);
  }),

  "Read it with fetch": (live) => read(`${live}/web/orders/123/events`, {}),

  "Buy a ticket in the user's name": (live) => read(`${live}/live/tickets`, { method: "POST" }),
};

/** null when the browser was not allowed to hand the answer over. */
async function read(url, options) {
  try {
    const response = await fetch(url, { ...options, credentials: "include" });
    return `status ${response.status}`;
  } catch {
    return null;
  }
}

(async () => {
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  part("origin").textContent = location.origin;
  const { live } = await (await fetch("/about")).json();
  let isSafe = true;
  for (const [title, attempt] of Object.entries(attempts)) {
    const line = document.createElement("li");
    line.append(
      Object.assign(document.createElement("strong"), { textContent: title }),
      Object.assign(document.createElement("span"), { textContent: "Trying…" }));
    part("attempts").append(line);
    const seen = await attempt(live);
    isSafe &&= seen === null;
    line.dataset.verdict = seen === null ? "refused" : "let in";
    line.lastElementChild.textContent = seen === null ? "Refused. Nothing could be read." : `Let in: ${seen}`;
  }
  part("verdict").dataset.verdict = isSafe ? "refused" : "let in";
  part("verdict").textContent = isSafe
    ? "All refused: this origin is not on the server's list, whatever cookie the browser sends."
    : "The server let another origin in. That is a fault.";
})();
