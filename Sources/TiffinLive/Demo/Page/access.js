/** A request to a service of the demo's page, which stands for the site's own backend. */
async function post(action, wishes = {}) {
  const response = await fetch(`/${action}`, { method: "POST", body: JSON.stringify(wishes) });
  if (!response.ok) throw await LiveRefusal.of(response);
  return response.json();
}

/** Signs in with a cookie that no script can read. The browser sends it along with each attempt. */
class CookieAccess {
  query = async () => ({});

  async refresh(life = undefined) {
    return signedIn(() => post("session", { life }));
  }
}

/**
 * Signs in with a token that is kept in this page's memory alone. A page cannot send it with a WebSocket or an EventSource,
 * so each attempt buys a ticket with it, good once and for this path.
 */
class TicketAccess {
  token = "";
  bought = 0;
  #role;
  #live;
  #path;

  constructor({ role, live, path }) {
    this.#role = role;
    this.#live = live;
    this.#path = path;
  }

  async query() {
    const response = await fetch(`${this.#live}/live/tickets`, {
      method: "POST",
      headers: { "Authorization": `Bearer ${this.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ path: this.#path }),
    });
    if (!response.ok) throw await LiveRefusal.of(response);
    this.bought += 1;
    return { ticket: (await response.json()).ticket };
  }

  async refresh(life = undefined) {
    return signedIn(async () => {
      this.token = (await post("token", { role: this.#role, life })).token;
    });
  }

  /** A token that has run out, as an app would send that kept one. */
  staleToken = async () => (await post("token", { role: this.#role, life: -5 })).token;
}

/** Whether the user is signed in now. That the service said no is an answer, that it could not be reached is none. */
async function signedIn(signIn) {
  try {
    await signIn();
    return true;
  } catch (error) {
    if (error instanceof LiveRefusal && error.status < 500) return false;
    throw error;
  }
}
