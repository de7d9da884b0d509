/**
 * Tests of the reference client, beside which they are evaluated, with a network and a clock that the test plays. Evaluates
 * to what failed, in sentences, and the number of tests.
 */
(async () => {
  const failures = [];
  const real = { WebSocket, EventSource, setTimeout, clearTimeout, random: Math.random, now: performance.now };

  class FakeSocket {
    static all = [];
    sent = [];
    isClosed = false;
    constructor(url, protocols) {
      Object.assign(this, { url: new URL(url), protocols });
      FakeSocket.all.push(this);
    }
    send(text) { this.sent.push(JSON.parse(text)); }
    close() { this.isClosed = true; }
    say(message) { this.onmessage({ data: JSON.stringify(message) }); }
  }

  class FakeStream extends EventTarget {
    static all = [];
    isClosed = false;
    constructor(url, options) {
      super();
      Object.assign(this, { url: new URL(url), options });
      FakeStream.all.push(this);
    }
    close() { this.isClosed = true; }
    say(name, data, lastEventId = "") {
      this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data), lastEventId }));
    }
    fail() { this.dispatchEvent(new Event("error")); }
  }

  /** Waits that were asked for; `pass` lets the last one be over. */
  const waits = [];
  let now = 0;
  const turn = () => new Promise((resolve) => real.setTimeout.call(window, resolve, 0));
  const pass = async () => {
    const wait = waits.pop();
    now += wait.delay;
    wait.run();
    await turn();
  };

  /** A client whose access is played, too. */
  const begin = async (options = {}) => {
    FakeSocket.all = [];
    FakeStream.all = [];
    waits.length = 0;
    const test = { states: [], events: [], messages: [], queries: 0, refreshes: 0, refreshed: true };
    test.live = new LiveConnection({
      url: "wss://live.example/rider/socket", topics: ["riders:1"], events: ["status"],
      access: {
        token: "current",
        query: async () => {
          test.queries += 1;
          return { ticket: `t${test.queries}` };
        },
        refresh: async () => {
          test.refreshes += 1;
          if (test.refreshed instanceof Error) throw test.refreshed;
          return test.refreshed;
        },
      },
      onEvent: (event) => test.events.push(event),
      onMessage: (message) => test.messages.push(message),
      onState: (state) => test.states.push(state),
      ...options,
    });
    test.last = () => test.states.at(-1);
    test.live.start();
    await turn();
    return test;
  };
  const beginStream = (options) => begin({ url: "https://live.example/orders/1/events", ...options });
  const socket = () => FakeSocket.all.at(-1);
  const stream = () => FakeStream.all.at(-1);
  const end = async (code, reason = "") => {
    socket().onclose({ code, reason });
    await turn();
  };

  let title = "";
  const expect = (isSo, detail = "") => isSo || failures.push(`${title} ${detail}`.trim());
  const same = (got, wanted) => expect(JSON.stringify(got) === JSON.stringify(wanted),
    `(got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)})`);

  const tests = {
    "each attempt asks for its own credential, and it is in the address of the connection alone": async () => {
      const test = await begin();
      same(socket().url.search, "?ticket=t1");
      same(socket().protocols, ["tiffin.v1"]);
      await end(1006);
      await pass();
      same(socket().url.search, "?ticket=t2");
      same(test.queries, 2);
      expect(!location.href.includes("ticket"));
    },

    "every end leads to what the rules say": async () => {
      for (const [code, reason, state, refreshes] of [
        [4001, "token_expired", "waiting", 1], [4001, "revoked", "login", 0], [4002, "different_user", "waiting", 0],
        [4003, "revoked", "login", 0], [4004, "forbidden", "stopped", 0], [4008, "too_slow", "waiting", 0],
        [4009, "replaced", "stopped", 0], [4029, "rate_limited", "waiting", 0], [1001, "going_away", "waiting", 0],
        [1002, "", "stopped", 0], [1003, "", "stopped", 0], [1006, "", "waiting", 0], [1007, "", "stopped", 0],
        [1009, "", "stopped", 0], [1011, "", "waiting", 0], [1012, "restart", "waiting", 0], [1013, "", "waiting", 0],
      ]) {
        const test = await begin();
        socket().say({ type: "welcome", expires_in: 60 });
        const link = socket();
        await end(code, reason);
        expect(link.isClosed, `${code}`);
        same([code, test.last().state, test.last().code], [code, state, code]);
        same(waits.length, state === "waiting" ? 1 : 0);
        if (state === "waiting") await pass();
        same([code, test.refreshes, FakeSocket.all.length], [code, refreshes, state === "waiting" ? 2 : 1]);
      }
    },

    "the answer to a request for a ticket counts like that to a handshake": async () => {
      for (const [refusal, state, delay] of [
        [new LiveRefusal(401, "token_expired"), "waiting", 0], [new LiveRefusal(401, "revoked"), "login", undefined],
        [new LiveRefusal(403, "forbidden"), "stopped", undefined], [new LiveRefusal(503, "unavailable", 3000), "waiting", 3000],
        [new LiveRefusal(429, "rate_limited", 7000), "waiting", 7000], [new TypeError("no network"), "waiting", 250],
      ]) {
        const test = await begin({ access: { query: async () => { throw refusal; }, refresh: async () => true } });
        same([refusal.message, test.last().state, test.last().delay], [refusal.message, state, delay]);
        same(FakeSocket.all.length, 0);
      }
    },

    "a refresh that is refused shows the login, one that cannot be made is made again": async () => {
      const test = await begin();
      test.refreshed = false;
      await end(4001, "token_expired");
      await pass();
      same([test.last().state, waits.length, FakeSocket.all.length], ["login", 0, 1]);

      const other = await begin();
      other.refreshed = new TypeError("no network");
      await end(4001, "token_expired");
      await pass();
      same(other.last().state, "waiting");
      other.refreshed = true;
      await pass();
      same([other.refreshes, other.last().state, FakeSocket.all.length], [2, "connecting", 2]);
    },

    "a time that the server names wins, else the wait is random up to a limit that doubles, of 30 s at most": async () => {
      const test = await begin();
      socket().say({ type: "welcome", expires_in: 60 });
      await end(1012, "restart; retry=2300");
      same(test.last().delay, 2300);
      for (let attempt = 1; attempt < 9; attempt += 1) {
        await pass();
        await end(1006);
        same(test.last().delay, Math.min(30_000, 500 * 2 ** attempt) / 2);
      }
    },

    "a connection that stayed open ends the row of failures, one that did not is a failure like the others": async () => {
      const test = await begin();
      for (const [open, delay] of [[LiveConnection.SETTLED - 1, 250], [LiveConnection.SETTLED - 1, 500], [LiveConnection.SETTLED, 250]]) {
        socket().say({ type: "welcome", expires_in: 60 });
        now += open;
        await end(1006);
        same(test.last().delay, delay);
        await pass();
      }
      // A token that is refused as soon as it is new must not make a storm.
      await end(4001, "token_expired");
      await pass();
      await end(4001, "token_expired");
      expect(test.last().delay > 0);
    },

    "a WebSocket resumes from the last event of each topic of its route": async () => {
      const test = await begin({ topics: ["a", "b"] });
      socket().say({ type: "event", topic: "a", id: "1-1", event: "status", data: 1 });
      await end(1006);
      await pass();
      same(socket().url.searchParams.get("last_event_id"), null);
      socket().say({ type: "event", topic: "b", id: "2-2", event: "status", data: 2 });
      socket().say({ type: "event", topic: "b", event: "live only", data: 3 });
      await end(1006);
      await pass();
      same(socket().url.searchParams.get("last_event_id"), "1-1,2-2");
      same(test.events.map(({ data }) => data), [1, 2, 3]);
    },

    "an event counts once it is handled": async () => {
      let fails = true;
      await begin({ onEvent: () => { if (fails) throw new Error("not handled"); } });
      try { socket().say({ type: "event", topic: "riders:1", id: "1-1", data: 1 }); } catch {}
      await end(1006);
      await pass();
      same(socket().url.searchParams.get("last_event_id"), null);
      fails = false;
      socket().say({ type: "event", topic: "riders:1", id: "1-1", data: 1 });
      await end(1006);
      await pass();
      same(socket().url.searchParams.get("last_event_id"), "1-1");
    },

    "more topics are asked for after every welcome, from their last event, until they are forbidden": async () => {
      const test = await begin();
      test.live.subscribe("trips:1");
      socket().say({ type: "welcome", expires_in: 60 });
      same(socket().sent, [{ type: "subscribe", topic: "trips:1", ref: "1" }]);
      socket().say({ type: "subscribed", topic: "trips:1", id: "5-1", ref: "1" });
      socket().say({ type: "event", topic: "trips:1", id: "6-1", data: 1 });
      await end(1006);
      await pass();
      socket().say({ type: "welcome", expires_in: 60 });
      same(socket().sent.map(({ topic, after }) => [topic, after]), [["trips:1", "6-1"]]);
      socket().say({ type: "error", error: "forbidden", topic: "trips:1", ref: socket().sent[0].ref });
      await turn();
      await end(1006);
      await pass();
      socket().say({ type: "welcome", expires_in: 60 });
      same(socket().sent, []);
    },

    "a token is renewed on the open WebSocket before it ends, unless the app cannot": async () => {
      const test = await begin();
      socket().say({ type: "welcome", expires_in: 60 });
      socket().say({ type: "expiring", expires_in: 20 });
      await turn();
      same(socket().sent, [{ type: "auth", token: "current" }]);
      test.live.refreshesInBand = false;
      socket().say({ type: "expiring", expires_in: 20 });
      await turn();
      same([socket().sent.length, test.refreshes], [1, 1]);
    },

    "an answer is brought to its question, and a lost connection answers all of them": async () => {
      const test = await begin();
      socket().say({ type: "welcome", expires_in: 60 });
      const first = test.live.request({ type: "accept", offer: 1 });
      const second = test.live.request({ type: "accept", offer: 2 }).catch(({ word }) => word);
      const third = test.live.request({ type: "accept", offer: 3 }).catch(({ word }) => word);
      socket().say({ type: "error", error: "unavailable", ref: "2" });
      socket().say({ type: "ack", ref: "1" });
      same([(await first).type, await second], ["ack", "unavailable"]);
      await end(1006);
      same(await third, "connection_lost");
      same(await test.live.request({ type: "ping" }).catch(({ word }) => word), "not_connected");
    },

    "an open WebSocket that does not answer is left when the page is looked at again": async () => {
      const test = await begin();
      socket().say({ type: "welcome", expires_in: 60 });
      test.live.wake();
      same(socket().sent.map(({ type }) => type), ["ping"]);
      await pass();
      same(test.last().state, "waiting");
      test.live.wake();
      await turn();
      same([test.last().state, FakeSocket.all.length], ["connecting", 2]);
    },

    "an EventSource is made anew for every attempt, with the cookie, and never comes back by itself": async () => {
      const test = await beginStream();
      expect(stream().options.withCredentials);
      stream().say("welcome", { type: "welcome", expires_in: 60 }, "1-0");
      same(test.live.state, "open");
      stream().say("status", { status: "cooking" }, "2-0");
      const first = stream();
      first.fail();
      expect(first.isClosed);
      await pass();
      expect(stream() !== first);
      same(stream().url.search, "?ticket=t2&last_event_id=2-0");
      // What the old one still says is not heard.
      first.say("status", { status: "lost" }, "9-0");
      same([test.events.length, test.live.lastEventID], [1, "2-0"]);
    },

    "the close event of a stream is its end, and what it resumes from is the welcome's id at least": async () => {
      const test = await beginStream();
      stream().say("welcome", { type: "welcome", expires_in: 60 }, "1-0");
      stream().say("close", { code: 1012, reason: "restart; retry=1500" });
      expect(stream().isClosed);
      same([test.last().delay, test.last().code], [1500, 1012]);
      await pass();
      same(stream().url.searchParams.get("last_event_id"), "1-0");
      stream().say("close", { code: 4003, reason: "revoked" });
      same([test.last().state, waits.length], ["login", 0]);
    },

    "a reset and a lost topic are told, and move no position": async () => {
      const test = await beginStream();
      stream().say("welcome", { type: "welcome", expires_in: 60 }, "1-0");
      stream().say("reset", { topic: "orders:1", reason: "history" }, "1-0");
      stream().say("unsubscribed", { topic: "orders:1", reason: "forbidden" }, "1-0");
      same(test.messages.map(({ type }) => type), ["welcome", "reset", "unsubscribed"]);
      same(test.live.lastEventID, "1-0");
    },

    "a client that was stopped does nothing more": async () => {
      const test = await begin();
      const link = socket();
      test.live.stop();
      expect(link.isClosed);
      link.onclose({ code: 1006, reason: "" });
      link.onmessage({ data: '{"type":"welcome"}' });
      await turn();
      same([test.last().state, waits.length, FakeSocket.all.length], ["stopped", 0, 1]);
      const waiting = await begin();
      await end(1006);
      waiting.live.stop();
      same([waiting.last().state, waits.length], ["stopped", 0]);
    },
  };

  try {
    window.WebSocket = FakeSocket;
    window.EventSource = FakeStream;
    window.setTimeout = (run, delay = 0) => {
      const wait = { run, delay };
      waits.push(wait);
      return wait;
    };
    window.clearTimeout = (wait) => waits.includes(wait) && waits.splice(waits.indexOf(wait), 1);
    Math.random = () => 0.5;
    performance.now = () => now;
    for (const [name, test] of Object.entries(tests)) {
      title = name;
      try {
        await test();
      } catch (error) {
        failures.push(`${name}: ${error}`);
      }
    }
  } finally {
    const { WebSocket, EventSource, setTimeout, clearTimeout } = real;
    Object.assign(window, { WebSocket, EventSource, setTimeout, clearTimeout });
    Math.random = real.random;
    performance.now = real.now;
  }
  return { failures, count: Object.keys(tests).length };
})()
