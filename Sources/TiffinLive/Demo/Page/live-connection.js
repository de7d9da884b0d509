"use strict";

/**
 * The reference client for web pages: one live connection that follows the rules for clients in docs/protocol.md. It knows
 * nothing of any page and can be copied as it is.
 *
 *     const live = new LiveConnection({
 *       url: "https://live.tiffin.example/orders/123/events",   // http(s) for an event stream, ws(s) for a WebSocket
 *       events: ["status", "position"],                         // names that an event stream carries
 *       topics: ["riders:5521"],                                // what a WebSocket's route subscribes to, in its order
 *       access,                                                 // see below
 *       onEvent: ({ topic, event, id, data }) => {},            // handled when it returns: the id counts from then on
 *       onMessage: (message) => {},                             // all else that the server says: welcome, auth, reset, …
 *       onState: ({ state, code, reason, delay }) => {},        // connecting, open, waiting, refreshing, login, stopped
 *     });
 *     live.start();
 *
 * `access` is where credentials come from. It is asked at every attempt, so that no attempt uses an old one:
 *
 *     query()    for the members that the URL needs, such as { ticket }; {} where a cookie signs in. Rejects with a
 *                LiveRefusal when the server, asked for a ticket, said no.
 *     refresh()  gets new credentials; false when the user must log in. Rejects when the network failed.
 *     token      the current token, for a refresh on an open WebSocket
 *
 * Neither a token nor a ticket is ever in the address of the page: it has no part in this.
 */
class LiveConnection {
  static BASE = 500;
  static CAP = 30_000;
  /** A connection that has been open for so long has ended the row of failures. */
  static SETTLED = 5_000;
  /** How long an open WebSocket may owe an answer to a ping of the page. */
  static PATIENCE = 5_000;

  /** False for an app that cannot get a new token while it is connected: it is closed with 4001 and comes back. */
  refreshesInBand = true;
  state = "idle";

  #url;
  #events;
  #topics;
  #access;
  #tell;
  /** Raised whenever the link changes: what an older link, or an older wait, still says is not heard. */
  #turn = 0;
  #link = null;
  #timer = 0;
  #failures = 0;
  #openedAt = 0;
  #needsRefresh = false;
  /** The last id that was handled: of each topic, or under "" of an event stream. */
  #positions = new Map();
  /** Topics beyond those of the route. */
  #subscribed = new Set();
  #requests = new Map();
  #lastRef = 0;

  constructor({ url, events = [], topics = [], access, onEvent, onMessage, onState }) {
    this.#url = url;
    this.#events = events;
    this.#topics = topics;
    this.#access = access;
    this.#tell = { event: onEvent ?? (() => {}), message: onMessage ?? (() => {}), state: onState ?? (() => {}) };
  }

  /** What the next attempt resumes from. */
  get lastEventID() {
    if (!this.#isSocket) return this.#positions.get("") ?? "";
    const ids = this.#topics.map((topic) => this.#positions.get(topic));
    return ids.every(Boolean) ? ids.join(",") : "";
  }

  start() {
    this.#failures = 0;
    this.#needsRefresh = false;
    this.#connect();
  }

  stop() {
    this.#drop();
    this.#enter("stopped");
  }

  /** Leaves the present connection, if there is one, and comes back at once. */
  reconnect() {
    this.#connect();
  }

  /** The network is back, or the page is looked at again: a wait is over, and an open WebSocket must prove that it lives. */
  wake() {
    if (this.state === "waiting") this.#connect();
    if (this.state !== "open" || !this.#isSocket) return;
    const turn = this.#turn;
    const late = setTimeout(() => this.#ended(turn, { code: 1006, reason: "no answer" }), LiveConnection.PATIENCE);
    this.request({ type: "ping" }).finally(() => clearTimeout(late)).catch(() => {});
  }

  // MARK: What a WebSocket can say

  /** The answer to a message; rejects with the server's word when it is an error, or when the connection ends first. */
  request(message) {
    const ref = String(++this.#lastRef);
    return new Promise((resolve, reject) => {
      if (!this.#link?.send) return reject(new LiveRefusal(0, "not_connected"));
      this.#requests.set(ref, { resolve, reject });
      this.#link.send({ ...message, ref });
    });
  }

  /** Shows the server another token on the open WebSocket. It answers with a message `auth`. */
  authenticate(token) {
    this.#link?.send?.({ type: "auth", token });
  }

  /** Adds a topic, now and after every reconnect, from its last event on. */
  subscribe(topic) {
    this.#subscribed.add(topic);
    if (this.state === "open") this.#askFor(topic);
  }

  #askFor(topic) {
    const after = this.#positions.get(topic);
    this.request({ type: "subscribe", topic, ...(after && { after }) }).catch(({ word }) => {
      // Not ours any more; after a lost connection it is asked for again.
      if (word === "forbidden") this.#subscribed.delete(topic);
    });
  }

  // MARK: Connecting

  get #isSocket() {
    return this.#url.startsWith("ws");
  }

  async #connect() {
    const turn = this.#drop();
    try {
      if (this.#needsRefresh) {
        this.#enter("refreshing");
        const isSignedIn = await this.#access.refresh();
        if (turn !== this.#turn) return;
        if (!isSignedIn) return this.#enter("login", { reason: "refresh_failed" });
        this.#needsRefresh = false;
      }
      this.#enter("connecting");
      const query = await this.#access.query();
      if (turn !== this.#turn) return;
      const url = new URL(this.#url);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      if (this.lastEventID) url.searchParams.set("last_event_id", this.lastEventID);
      this.#link = this.#isSocket ? this.#openSocket(url, turn) : this.#openStream(url, turn);
    } catch (error) {
      // Anything but an answer is the network.
      this.#ended(turn, error instanceof LiveRefusal
        ? { code: error.status, reason: error.word, delay: error.delay } : { code: 1006, reason: "no connection" });
    }
  }

  #openStream(url, turn) {
    const source = new EventSource(url, { withCredentials: true });
    const listen = (name, receive) => source.addEventListener(name, (event) => turn === this.#turn && receive(event));
    for (const name of new Set(["message", ...this.#events])) {
      listen(name, ({ data, lastEventId }) => this.#handle("", { event: name, id: lastEventId, data: parsed(data) }));
    }
    listen("welcome", ({ data, lastEventId }) => {
      if (lastEventId) this.#positions.set("", lastEventId);
      this.#opened(parsed(data));
    });
    for (const type of ["reset", "unsubscribed"]) {
      listen(type, ({ data }) => this.#tell.message({ type, ...parsed(data) }));
    }
    listen("close", ({ data }) => this.#ended(turn, parsed(data)));
    // Left alone, an EventSource comes back by itself with the URL that it has: a ticket that is used up, a refused cookie.
    // After any status but 200 it never comes back. So it ends here, and a new one is made.
    listen("error", () => this.#ended(turn, { code: 1006, reason: "no connection" }));
    return { close: () => source.close() };
  }

  #openSocket(url, turn) {
    const socket = new WebSocket(url, ["tiffin.v1"]);
    socket.onmessage = ({ data }) => turn === this.#turn && this.#receive(parsed(data));
    socket.onclose = ({ code, reason }) => this.#ended(turn, { code, reason });
    return { close: () => socket.close(1000), send: (message) => socket.send(JSON.stringify(message)) };
  }

  /** Ends the link without a word to the page; the number of the turn that begins with it. */
  #drop() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#link?.close();
    this.#link = null;
    for (const { reject } of this.#requests.values()) reject(new LiveRefusal(0, "connection_lost"));
    this.#requests.clear();
    return this.#turn;
  }

  // MARK: Receiving

  #receive(message) {
    switch (message.type) {
      case "event":
        return this.#handle(message.topic, message);
      case "welcome":
        this.#opened(message);
        return this.#subscribed.forEach((topic) => this.#askFor(topic));
      case "expiring":
        this.#tell.message(message);
        return this.refreshesInBand && this.#refreshInBand();
      case "subscribed":
        // The position at which live events begin: what came before it has been asked for.
        if (message.id && !this.#positions.has(message.topic)) this.#positions.set(message.topic, message.id);
    }
    this.#tell.message(message);
    const request = this.#requests.get(message.ref);
    if (!request) return;
    this.#requests.delete(message.ref);
    if (message.type === "error") request.reject(new LiveRefusal(0, message.error));
    else request.resolve(message);
  }

  #handle(topic, event) {
    this.#tell.event(event);
    if (event.id) this.#positions.set(topic, event.id);
  }

  #opened(welcome) {
    this.#openedAt = performance.now();
    this.#enter("open");
    this.#tell.message(welcome);
  }

  /** Whatever becomes of it: the old deadline stands, and a close with 4001 leads to another try. */
  async #refreshInBand() {
    const turn = this.#turn;
    const isRefreshed = await this.#access.refresh().catch(() => false);
    if (isRefreshed && turn === this.#turn) this.authenticate(this.#access.token);
  }

  // MARK: The end of a connection

  #ended(turn, { code, reason = "", delay = undefined }) {
    if (turn !== this.#turn) return;
    if (this.state === "open" && performance.now() - this.#openedAt >= LiveConnection.SETTLED) this.#failures = 0;
    this.#drop();
    const end = { code, reason };
    switch (LiveConnection.verdict(code, reason)) {
      case "login": return this.#enter("login", end);
      case "stop": return this.#enter("stopped", end);
      case "refresh":
        this.#needsRefresh = true;
        return this.#wait(this.#failures === 0 ? 0 : this.#backOff(), end);
      case "return": return this.#wait(this.#failures === 0 ? 0 : this.#backOff(), end);
      case "wait": return this.#wait(delay ?? LiveConnection.namedDelay(reason) ?? this.#backOff(), end);
    }
  }

  #wait(delay, end) {
    this.#failures += 1;
    this.#enter("waiting", { ...end, delay });
    this.#timer = setTimeout(() => this.#connect(), delay);
  }

  /** Full jitter, in milliseconds. */
  #backOff() {
    return Math.random() * Math.min(LiveConnection.CAP, LiveConnection.BASE * 2 ** this.#failures);
  }

  #enter(state, end = {}) {
    this.state = state;
    this.#tell.state({ state, ...end });
  }

  /** What to do after an end: by the close code, or by the status of the answer to a request for a ticket. */
  static verdict(code, reason) {
    switch (code) {
      case 4003: return "login";
      case 401:
      case 4001: return reason.startsWith("revoked") ? "login" : "refresh";
      case 4002: return "return";
      case 1006: return "wait";
      case 400: case 403: case 404: case 405: case 426: case 4004: case 4009: return "stop";
      default: return code >= 1002 && code <= 1009 ? "stop" : "wait";
    }
  }

  /** The time that a reason such as `restart; retry=2300` names, in milliseconds. */
  static namedDelay(reason) {
    const found = /; retry=(\d+)/.exec(reason);
    return found ? Number(found[1]) : undefined;
  }
}

/** The server, or the page's own, said no: with a status and a word, and perhaps a time to come back. */
class LiveRefusal extends Error {
  constructor(status, word, delay = undefined) {
    super(`${status} ${word}`);
    this.status = status;
    this.word = word;
    this.delay = delay;
  }

  static async of(response) {
    const { error = "" } = await response.json().catch(() => ({}));
    const seconds = Number(response.headers.get("Retry-After"));
    return new LiveRefusal(response.status, error, seconds > 0 ? seconds * 1000 : undefined);
  }
}

/** Data as JSON where it is JSON, else as it came. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
