/** What the three panels share: a live connection, its state in words, and how often it came back. */
class Panel {
  live;
  access;
  root;
  #wire;
  #wasOpen = false;
  #returns = 0;

  constructor(id, wire) {
    this.root = document.getElementById(id);
    this.#wire = wire;
  }

  part(name) {
    return this.root.querySelector(`[data-part="${name}"]`);
  }

  connect(options) {
    this.live = new LiveConnection({
      ...options,
      access: this.access,
      onEvent: (event) => this.received(event),
      onMessage: (message) => this.told(message),
      onState: (state) => this.entered(state),
    });
    return this.signIn();
  }

  /** The user signs in: credentials first, then the connection. */
  async signIn() {
    const isSignedIn = await this.access.refresh().catch(() => true);
    if (isSignedIn) this.live.start();
    else this.entered({ state: "login", reason: "refresh_failed" });
    return isSignedIn;
  }

  say(code, words, kind = "") {
    this.#wire.add(this.root.id, code, words, kind);
  }

  received() {}

  told(message) {
    switch (message.type) {
      case "welcome":
        if (this.#wasOpen) this.#returns += 1;
        this.say("welcome", this.#wasOpen
          ? "Back, and known again. It asks for what came after its last event." : `Let in, for ${wording.seconds(message.expires_in)} at most.`,
        "good");
        this.#wasOpen = true;
        if (this.part("returns")) this.part("returns").textContent = wording.times(this.#returns);
        break;
      case "reset":
        this.say("reset", "What was missed cannot be given without a gap. The app loads its state anew.", "warn");
        break;
    }
  }

  entered({ state, code, reason = "", delay }) {
    const chip = this.root.querySelector(".state");
    chip.dataset.state = state;
    chip.firstElementChild.textContent = wording.state({ state, code, delay });
    if (code) this.say(`${code} ${reason}`.trim(), wording.end(code, reason), state === "login" || state === "stopped" ? "bad" : "warn");
  }
}

/** A customer's tracking screen: an event stream that is known by its cookie. */
class CustomerPanel extends Panel {
  /** The numbers that the simulation gives to the events of order 123: none may be missing, none may come twice. */
  numbers = [];
  #gaps = 0;
  #repeats = 0;
  #isFresh = true;

  constructor(wire, { live }) {
    super("customer", wire);
    this.access = new CookieAccess();
    this.connect({ url: `${live}/web/orders/123/events`, events: ["status", "position", "note"] });
  }

  received({ event, data }) {
    if (event === "note") return this.say("note", String(data?.text ?? ""));
    this.#count(data.n);
    if (event === "status") this.#showStatus(data.status);
    if (event === "position") this.#showPosition(data);
  }

  told(message) {
    super.told(message);
    if (message.type === "reset") this.#isFresh = true;
  }

  #count(number) {
    const last = this.numbers.at(-1);
    if (!this.#isFresh && last !== undefined) {
      if (number <= last) this.#repeats += 1;
      if (number > last + 1) this.#gaps += number - last - 1;
    }
    this.#isFresh = false;
    this.numbers.push(number);
    this.part("count").textContent = this.numbers.length;
    this.part("order").textContent = this.#gaps + this.#repeats === 0
      ? "none lost, none twice" : `${this.#gaps} lost, ${this.#repeats} twice`;
  }

  #showStatus(status) {
    this.part("headline").textContent = wording.status[status] ?? status;
    let isReached = true;
    for (const step of this.root.querySelectorAll(".steps li")) {
      const isNow = step.dataset.step === status;
      step.dataset.state = isNow ? "now" : isReached ? "done" : "ahead";
      if (isNow) step.setAttribute("aria-current", "step");
      else step.removeAttribute("aria-current");
      if (isNow) isReached = false;
    }
    const where = { placed: "is not on the way yet", accepted: "is on the way to Annapurna", cooking: "waits at Annapurna" };
    this.part("place").textContent = `Rider 5521 ${where[status] ?? (status === "delivered" ? "has arrived" : "is on the way to you")}.`;
  }

  /** The map is drawn in units of a twenty-thousandth of a degree. */
  #showPosition({ lat, lon }) {
    const x = (lon - 16.36) * 20_000;
    const y = (48.21 - lat) * 20_000;
    this.part("rider").style.transform = `translate(${x}px, ${y}px)`;
  }
}

/** A rider's phone: a WebSocket opened with a ticket, and a token that is renewed while it is open. */
class RiderPanel extends Panel {
  #deadline = 0;
  #life = 1;
  #refreshes = 0;

  constructor(wire, { live, assigned }) {
    super("rider", wire);
    this.access = new TicketAccess({ role: "rider", live, path: "/web/rider/socket" });
    this.part("sign-in").onclick = () => this.#tryToSignIn();
    this.connect({ url: `${live.replace(/^http/, "ws")}/web/rider/socket`, topics: ["riders:5521"] });
    this.showAssignment(assigned);
    if (assigned) this.live.subscribe("trips:123");
    setInterval(() => this.#showLife(), 250);
  }

  received({ topic, event, data }) {
    if (event === "offer") this.#addOffer(data);
    if (topic === "trips:123") this.part("trip-words").textContent = `${wording.shortStatus[data.status] ?? data.status}: on your list`;
  }

  told(message) {
    super.told(message);
    switch (message.type) {
      case "welcome":
        this.#begin(message.expires_in);
        break;
      case "expiring":
        this.say("expiring", this.live.refreshesInBand
          ? `${message.expires_in} s left: the app sends a new token on the open connection.`
          : `${message.expires_in} s left, and this time the app does nothing.`, "warn");
        break;
      case "auth":
        if (!message.ok) return this.say(`auth ${message.error}`, "Not accepted. The old deadline stands, the connection goes on.", "warn");
        this.#begin(message.expires_in);
        this.#refreshes += 1;
        this.part("refreshes").textContent = `Refreshed ${wording.times(this.#refreshes)} without a reconnect.`;
        this.say("auth ok", `New token accepted: ${wording.seconds(message.expires_in)} more, same connection.`, "good");
        break;
      case "unsubscribed":
        if (message.topic !== "trips:123") break;
        this.showAssignment(false);
        this.say(`unsubscribed ${message.reason ?? ""}`, "Taken off order 123: not one more event of it.", "warn");
        break;
      case "subscribed":
        this.showAssignment(true);
        break;
    }
  }

  entered(state) {
    super.entered(state);
    if (state.state === "open") this.live.refreshesInBand = true;
    const isOut = state.state === "login";
    this.part("login").hidden = !isOut;
    this.part("screen").hidden = isOut;
    if (isOut) {
      this.part("offers").replaceChildren();
      this.part("login-words").textContent = state.code === 4003 || state.code === 401
        ? "Your account was suspended while you were connected." : "Your session has ended.";
    }
  }

  showAssignment(isAssigned) {
    this.part("trip").dataset.assigned = isAssigned ? "yes" : "no";
    this.part("trip-words").textContent = isAssigned ? "On your list" : "Taken off your list";
  }

  async #tryToSignIn() {
    if (await this.signIn()) return;
    this.part("login-words").textContent = "Still suspended: the auth service issues no token. Ask the operator.";
  }

  #begin(seconds) {
    this.#life = seconds;
    this.#deadline = performance.now() + seconds * 1000;
    this.#showLife();
  }

  #showLife() {
    const left = this.live?.state === "open" ? Math.max(0, (this.#deadline - performance.now()) / 1000) : 0;
    const ring = this.part("ring");
    ring.style.strokeDashoffset = 326.73 * (1 - Math.min(1, left / this.#life));
    ring.dataset.low = left < 20 ? "yes" : "no";
    this.part("left").textContent = left > 0 ? wording.seconds(left) : "–";
  }

  #addOffer({ offer, order, restaurant, answer_within }) {
    const item = document.createElement("li");
    const words = document.createElement("p");
    words.append(strong(`Order ${order}`), ` · restaurant ${restaurant}`);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Accept";
    button.setAttribute("aria-label", `Accept order ${order}`);
    const settle = (text, kind) => {
      button.replaceWith(Object.assign(document.createElement("span"), { textContent: text, className: kind }));
    };
    button.onclick = async () => {
      button.disabled = true;
      try {
        await this.live.request({ type: "accept", offer });
        settle("Accepted", "yes");
        this.say("ack", `Offer ${offer} is accepted: the backend has the rider's answer.`, "good");
      } catch (refusal) {
        button.disabled = false;
        this.say(`error ${refusal.word}`, "The answer did not get through. Try again.", "warn");
      }
    };
    item.append(words, button);
    this.part("offers").prepend(item);
    while (this.part("offers").children.length > 3) this.part("offers").lastElementChild.remove();
    this.part("no-offers").hidden = true;
    setTimeout(() => button.isConnected && settle("Too late", "no"), answer_within * 1000);
  }
}

/** A restaurant's board: an event stream that takes a new ticket for each connection. */
class RestaurantPanel extends Panel {
  #orders = new Map();

  constructor(wire, { live }) {
    super("restaurant", wire);
    this.access = new TicketAccess({ role: "restaurant", live, path: "/web/restaurants/88/events" });
    this.connect({ url: `${live}/web/restaurants/88/events`, events: ["order"] });
  }

  received({ event, data: { order, status, dishes } }) {
    if (event !== "order") return;
    const chit = this.#orders.get(order) ?? this.#addChit(order);
    chit.dataset.status = status;
    chit.querySelector("em").textContent = wording.shortStatus[status] ?? status;
    chit.querySelector("p").textContent = dishes ?? "";
    if (status === "placed") this.part("board").prepend(chit);
    this.part("no-orders").hidden = true;
  }

  told(message) {
    super.told(message);
    if (message.type === "welcome") {
      const count = this.access.bought;
      this.part("tickets").textContent = `${count} bought`;
    }
  }

  #addChit(order) {
    const chit = document.createElement("li");
    chit.append(strong(`Order ${order}`), document.createElement("em"), document.createElement("p"));
    this.#orders.set(order, chit);
    this.part("board").prepend(chit);
    while (this.part("board").children.length > 5) {
      const last = this.part("board").lastElementChild;
      for (const [key, value] of this.#orders) if (value === last) this.#orders.delete(key);
      last.remove();
    }
    return chit;
  }
}

function strong(text) {
  return Object.assign(document.createElement("strong"), { textContent: text });
}
