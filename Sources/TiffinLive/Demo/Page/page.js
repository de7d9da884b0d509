/** The log of what the wire said, newest first. */
class Wire {
  static LIMIT = 60;
  #list;

  constructor(list) {
    this.#list = list;
  }

  add(who, code, words, kind) {
    const line = document.createElement("li");
    line.dataset.who = who;
    line.dataset.kind = kind;
    const time = new Date().toLocaleTimeString("en-GB");
    for (const [tag, text] of [["time", time], ["b", who], ["code", code], ["span", words]]) {
      line.append(Object.assign(document.createElement(tag), { textContent: text }));
    }
    this.#list.prepend(line);
    while (this.#list.children.length > Wire.LIMIT) this.#list.lastElementChild.remove();
  }
}

/** The operator's strip: buttons that make something happen, and who is connected. */
class OperatorPanel {
  /** Seconds that a token lives which is to run out. */
  static SHORT_LIFE = 8;

  #root = document.getElementById("operator");
  #wire;
  #apps;
  #isSuspended;
  #isAssigned;

  constructor(wire, apps, { suspended, assigned, stranger }) {
    this.#wire = wire;
    this.#apps = apps;
    this.#isSuspended = suspended;
    this.#isAssigned = assigned;
    this.#button("stranger").href = stranger;
    for (const name of ["expire", "suspend", "unassign", "restart", "stale"]) {
      this.#button(name).onclick = () => this.#run(name);
    }
    this.#showToggles();
    this.#watchConnections();
  }

  #button(name) {
    return this.#root.querySelector(`[data-do="${name}"]`);
  }

  #part(name) {
    return this.#root.querySelector(`[data-part="${name}"]`);
  }

  async #run(name) {
    try {
      await this[name]();
    } catch (error) {
      this.#say(name, `It did not work: ${error.message}`, "bad");
    }
    this.#showToggles();
  }

  #say(code, words, kind = "") {
    this.#wire.add("operator", code, words, kind);
  }

  /** Gives every app a token with little life left, and keeps the rider's app from renewing it in time. */
  async expire() {
    const { customer, rider, restaurant } = this.#apps;
    const life = OperatorPanel.SHORT_LIFE;
    this.#say("expire", `Every app gets a token with ${life} s to live.`);
    if (rider.live.state === "open" && await rider.access.refresh(life)) {
      rider.live.refreshesInBand = false;
      rider.live.authenticate(rider.access.token);
    }
    for (const app of [customer, restaurant]) {
      if (await app.access.refresh(life)) app.live.reconnect();
    }
  }

  async suspend() {
    const pardons = this.#isSuspended;
    await post(pardons ? "pardon" : "suspend");
    this.#isSuspended = !pardons;
    this.#say(pardons ? "pardon" : "suspend", pardons
      ? "Rider 5521 may sign in again. Old tokens stay refused." : "Rider 5521 is suspended. Every connection of theirs must end now.");
  }

  async unassign() {
    const isAssigned = !this.#isAssigned;
    await post(isAssigned ? "assign" : "unassign");
    this.#isAssigned = isAssigned;
    this.#say(isAssigned ? "assign" : "unassign", isAssigned
      ? "Order 123 is rider 5521's again." : "Order 123 is taken from rider 5521, who stays connected.");
    if (isAssigned) this.#apps.rider.live.subscribe("trips:123");
  }

  async restart() {
    this.#say("restart", "The server drains its connections and starts again. It has forgotten what it kept in memory.");
    await post("restart");
  }

  async stale() {
    const { rider } = this.#apps;
    if (rider.live.state !== "open") return this.#say("stale", "The rider is not connected now.");
    this.#say("stale", "The rider's app shows a token that ran out.");
    rider.live.authenticate(await rider.access.staleToken());
  }

  #showToggles() {
    const show = (name, title, hint) => {
      this.#button(name).firstElementChild.textContent = title;
      this.#button(name).lastElementChild.textContent = hint;
    };
    if (this.#isSuspended) show("suspend", "Lift the suspension", "the rider may sign in again");
    else show("suspend", "Suspend the rider", "signed out everywhere, at once");
    if (this.#isAssigned) show("unassign", "Take the courier off", "order 123 is somebody else's now");
    else show("unassign", "Put the courier back", "order 123 is rider 5521's again");
  }

  // MARK: Who is connected

  async #watchConnections() {
    for (;;) {
      try {
        const response = await fetch("/connections");
        this.#showConnections(response.ok ? await response.json() : []);
      } catch {
        this.#showConnections([]);
      }
      await new Promise((resolve) => setTimeout(resolve, document.hidden ? 5000 : 1000));
    }
  }

  #showConnections(list) {
    list.sort((one, other) => one.user.localeCompare(other.user));
    this.#part("connected").textContent = list.length;
    this.#part("connections").replaceChildren(...list.slice(0, 6).map(({ user, role, transport, topics, deadline }) => {
      const row = document.createElement("tr");
      const left = wording.seconds((Date.parse(deadline) - Date.now()) / 1000);
      for (const text of [`${role} ${user}`, `${topics.join(", ")} · ${transport === "sse" ? "SSE" : "WebSocket"}`, left]) {
        row.append(Object.assign(document.createElement("td"), { textContent: text }));
      }
      return row;
    }));
  }
}

/** What the page consists of, to look at in the console. */
const demo = {};

(async () => {
  const about = await (await fetch("/about")).json();
  const wire = new Wire(document.querySelector('[data-part="wire"]'));
  demo.customer = new CustomerPanel(wire, about);
  demo.rider = new RiderPanel(wire, about);
  demo.restaurant = new RestaurantPanel(wire, about);
  demo.operator = new OperatorPanel(wire, demo, about);
  const wake = () => [demo.customer, demo.rider, demo.restaurant].forEach(({ live }) => live.wake());
  addEventListener("online", wake);
  document.addEventListener("visibilitychange", () => document.hidden || wake());
})();
