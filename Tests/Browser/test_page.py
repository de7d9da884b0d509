"""The demo's page in real browsers, against the real server. `scripts/test-browser` runs it; TIFFIN_LIVE names the program.

Every wait is for something that must come, and its limit only a net: no test measures time.
"""
import os
import time
import unittest

from browsers import Chromium, Firefox, wait
from demo import Demo

HERE = os.path.dirname(os.path.abspath(__file__))
#: How long something is watched that must not happen; longer than the first two back-offs.
WATCH = 3
APPS = ("customer", "rider", "restaurant")


class PageTests:
    """Everything for one browser; the classes below say which."""

    @classmethod
    def setUpClass(cls):
        cls.demo = Demo(os.environ["TIFFIN_LIVE"])
        cls.addClassCleanup(cls.demo.close)
        cls.browser = cls.Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, url=None):
        page = self.browser.open(url or self.demo.page)
        self.addCleanup(page.close)
        return page

    def open_apps(self):
        page = self.open()
        for app in APPS:
            self.await_state(page, app, "open")
        return page

    def await_state(self, page, app, state):
        wait(lambda: page.evaluate(f"demo.{app}?.live.state") == state, f"the {app}'s connection is {state}")

    def press(self, page, name):
        page.evaluate(f"document.querySelector('[data-do={name}]').click()")

    def part(self, page, app, name):
        return page.evaluate(f"document.querySelector('#{app} [data-part={name}]').innerText")

    def wire(self, page):
        """What the wire said, oldest first: who, code."""
        lines = page.evaluate(
            "[...document.querySelectorAll('.wire li')].map((line) => [line.dataset.who, line.querySelector('code').innerText])")
        return list(reversed(lines))

    def numbers(self, page):
        return page.evaluate("demo.customer.numbers")

    def assert_none_missing(self, numbers):
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))

    # The page of our own

    def test_our_page_is_let_in_by_cookie_and_by_ticket(self):
        page = self.open_apps()
        self.assertEqual(self.wire(page)[:3].count(["rider", "welcome"]), 1)
        wait(lambda: len(self.numbers(page)) > 2, "events of the order")
        self.assert_none_missing(self.numbers(page))
        wait(lambda: page.evaluate("document.querySelectorAll('.board li').length"), "orders on the board")
        self.assertTrue(page.evaluate("document.querySelector('#customer [aria-current=step]') !== null"))
        # The cookie is for the browser alone, and no secret is in an address that stays.
        self.assertEqual(page.evaluate("document.cookie"), "")
        self.assertEqual(page.evaluate("location.href"), self.demo.page)
        self.assertEqual(page.evaluate("history.length <= 2"), True)

    def test_an_offer_is_accepted_and_acknowledged(self):
        page = self.open_apps()
        wait(lambda: page.evaluate("document.querySelector('.offers button') !== null"), "an offer")
        page.evaluate("document.querySelector('.offers button').click()")
        wait(lambda: ["rider", "ack"] in self.wire(page), "the acknowledgement")
        self.assertTrue(page.evaluate("document.querySelector('.offers .yes')?.innerText.includes('Accepted') ?? false"))

    # Strangers

    def test_a_page_of_another_origin_is_refused_though_the_browser_sends_the_cookie(self):
        self.open_apps()
        before = self.demo.count('handshakes_total{outcome="origin_refused"')
        page = self.open(self.demo.stranger)
        verdict = "document.querySelector('[role=status]').dataset.verdict"
        wait(lambda: page.evaluate(verdict), "the verdict")
        self.assertEqual(page.evaluate(verdict), "refused")
        # It was the origin that refused them, not a missing cookie.
        refused = self.demo.count('handshakes_total{outcome="origin_refused"') - before
        self.assertEqual(refused, 4)

    def test_a_page_of_another_site_is_refused(self):
        self.open_apps()
        port = self.demo.page.rstrip("/").rsplit(":", 1)[1]
        page = self.open(f"http://localhost:{port}/")
        verdict = "document.querySelector('[role=status]').dataset.verdict"
        wait(lambda: page.evaluate(verdict), "the verdict")
        self.assertEqual(page.evaluate(verdict), "refused")

    def test_another_page_can_neither_sign_in_nor_press_a_button(self):
        page = self.open(self.demo.stranger)
        for action in ("session", "token", "suspend", "restart"):
            self.assertEqual(
                page.evaluate(f"fetch('{self.demo.page}{action}', {{method: 'POST', body: '{{}}'}}).then((r) => r.status, () => 'refused')"),
                "refused", action)

    def test_the_page_may_not_load_or_run_anything_else(self):
        page = self.open()
        self.assertEqual(
            page.evaluate("""new Promise((resolve) => {
                document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
                const script = document.createElement('script');
                script.textContent = 'window.strange = true';
                document.body.append(script);
            })""").split("-")[0], "script")
        self.assertIsNone(page.evaluate("window.strange ?? null"))
        self.assertEqual(
            page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')"), "refused")

    # Tickets

    def test_a_ticket_opens_one_connection(self):
        page = self.open_apps()
        result = page.evaluate("""(async () => {
            const { ticket } = await demo.rider.access.query();
            const attempt = () => new Promise((resolve) => {
                const socket = new WebSocket(`%s/web/rider/socket?ticket=${ticket}`);
                socket.onmessage = ({ data }) => { resolve(JSON.parse(data).type); socket.close(); };
                socket.onclose = ({ code, reason }) => resolve(`${code} ${reason}`);
            });
            return [await attempt(), await attempt()];
        })()""" % self.demo.live.replace("http", "ws", 1))
        self.assertEqual(result, ["welcome", "4001 ticket_invalid"])
        result = page.evaluate("""(async () => {
            const { ticket } = await demo.restaurant.access.query();
            const attempt = () => new Promise((resolve) => {
                const source = new EventSource(`%s/web/restaurants/88/events?ticket=${ticket}`);
                const end = (words) => { source.close(); resolve(words); };
                source.addEventListener('welcome', () => end('welcome'));
                source.addEventListener('close', ({ data }) => end(data));
                source.onerror = () => end('error');
            });
            return [await attempt(), await attempt()];
        })()""" % self.demo.live)
        self.assertEqual(result, ["welcome", '{"code":4001,"reason":"ticket_invalid"}'])

    # The life of a token

    def test_an_expired_token_is_refreshed_and_the_stream_resumed_with_nothing_lost(self):
        page = self.open_apps()
        wait(lambda: len(self.numbers(page)) > 1, "events")
        self.press(page, "expire")
        for app in APPS:
            wait(lambda: [app, "4001 token_expired"] in self.wire(page), f"the close of the {app}'s connection")
            lines = lambda: self.wire(page)
            end = lines().index([app, "4001 token_expired"])
            wait(lambda: [app, "welcome"] in lines()[end:], f"the {app} is back")
            self.await_state(page, app, "open")
        count = len(self.numbers(page))
        wait(lambda: len(self.numbers(page)) > count + 2, "events after the reconnect")
        self.assert_none_missing(self.numbers(page))
        self.assertEqual(self.part(page, "customer", "order"), "none lost, none twice")
        self.assertNotIn("reset", [code for _, code in self.wire(page)])
        self.assertIn(["rider", "auth ok"], self.wire(page))

    def test_a_stale_token_changes_nothing(self):
        page = self.open_apps()
        self.press(page, "stale")
        wait(lambda: ["rider", "auth token_expired"] in self.wire(page), "the answer")
        self.assertEqual(page.evaluate("demo.rider.live.state"), "open")
        self.assertFalse([code for who, code in self.wire(page) if who == "rider" and code.startswith("4")])

    # Revocation and rights

    def test_a_suspended_rider_sees_the_login_and_makes_no_attempt(self):
        page = self.open_apps()
        self.press(page, "suspend")
        self.await_state(page, "rider", "login")
        self.assertIn(["rider", "4003 revoked"], self.wire(page))
        self.assertTrue(page.evaluate("document.querySelector('#rider [data-part=login]').checkVisibility()"))
        self.assertFalse(page.evaluate("document.querySelector('#rider [data-part=screen]').checkVisibility()"))
        sold, handshakes = self.demo.count("tickets_sold_total"), self.demo.count("handshakes_total")
        time.sleep(WATCH)
        self.assertEqual(page.evaluate("demo.rider.live.state"), "login")
        self.assertEqual(self.demo.count("tickets_sold_total"), sold)
        self.assertEqual(self.demo.count("handshakes_total"), handshakes)
        self.assertEqual(self.demo.connections("5521"), 0)
        sign_in = "document.querySelector('#rider [data-part=sign-in]').click()"
        page.evaluate(sign_in)
        wait(lambda: "Still suspended" in self.part(page, "rider", "login-words"), "the refusal")
        self.press(page, "suspend")
        wait(lambda: ["operator", "pardon"] in self.wire(page), "the pardon")
        page.evaluate(sign_in)
        self.await_state(page, "rider", "open")

    def test_a_courier_taken_off_an_order_stays_connected_without_it(self):
        page = self.open_apps()
        wait(lambda: "on your list" in self.part(page, "rider", "trip-words"), "the trip")
        self.press(page, "unassign")
        wait(lambda: ["rider", "unsubscribed forbidden"] in self.wire(page), "the loss")
        self.assertEqual(self.part(page, "rider", "trip-words"), "Taken off your list")
        self.assertEqual(page.evaluate("demo.rider.live.state"), "open")
        self.press(page, "unassign")
        wait(lambda: "Taken off" not in self.part(page, "rider", "trip-words"), "the trip again")

    # The server

    def test_after_a_restart_everybody_is_back_at_the_time_that_the_server_named(self):
        page = self.open_apps()
        self.press(page, "restart")
        for app in APPS:
            wait(lambda: any(who == app and code.startswith("1012 restart; retry=") for who, code in self.wire(page)),
                 f"the close of the {app}'s connection")
        for app in APPS:
            end = next(i for i, (who, code) in enumerate(self.wire(page)) if who == app and code.startswith("1012"))
            wait(lambda: [app, "welcome"] in self.wire(page)[end:], f"the {app} is back")
            self.await_state(page, app, "open")
        # A server that started anew cannot know the positions, and says so.
        wait(lambda: ["customer", "reset"] in self.wire(page), "the reset")
        count = len(self.numbers(page))
        wait(lambda: len(self.numbers(page)) > count, "events of the new server")
        self.assertEqual(self.part(page, "customer", "order"), "none lost, none twice")

    # The client and the page by themselves

    def test_the_reference_client_keeps_the_rules(self):
        source = os.path.join(HERE, "../../Sources/TiffinLive/Demo/Page/live-connection.js")
        with open(source) as client, open(os.path.join(HERE, "client_tests.js")) as tests:
            play = f"(() => {{{client.read()}\nreturn ({tests.read()})}})()"
        # On a page without connections and timers of its own.
        page = self.open(self.demo.stranger)
        wait(lambda: page.evaluate("document.querySelector('[role=status]').dataset.verdict"), "the page is at rest")
        result = page.evaluate(play)
        self.assertEqual(result["failures"], [])
        self.assertGreater(result["count"], 10)

    def test_every_control_can_be_reached_and_has_a_name(self):
        page = self.open_apps()
        self.assertEqual(
            page.evaluate("""[...document.querySelectorAll('button, a')].filter((control) =>
                control.tabIndex < 0 || !(control.getAttribute('aria-label') ?? control.innerText).trim()).length"""), 0)
        self.assertEqual(page.evaluate("document.documentElement.lang"), "en")


class ChromiumTests(PageTests, unittest.TestCase):
    Browser = Chromium

    def test_it_fits_and_can_be_read_in_light_and_dark_on_a_desk_and_on_a_phone(self):
        with open(os.path.join(HERE, "contrast.js")) as file:
            contrast = file.read()
        page = self.open_apps()
        wait(lambda: page.evaluate("document.querySelectorAll('.board li, .offers li').length") > 3, "something to see")
        for size, width, height in (("desk", 1440, 900), ("phone", 390, 844)):
            for scheme in ("light", "dark"):
                page.look(width, height, scheme, os.path.join(self.shots, f"{size}-{scheme}.png") if self.shots else None)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                self.assertEqual(page.evaluate(contrast), [], f"{size}, {scheme}")

    shots = os.environ.get("TIFFIN_LIVE_SHOTS")


class FirefoxTests(PageTests, unittest.TestCase):
    Browser = Firefox


if __name__ == "__main__":
    unittest.main(verbosity=2)
