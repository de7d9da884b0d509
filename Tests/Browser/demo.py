"""A running `tiffin-live demo`, and what its server says of itself."""
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request


class Demo:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="tiffin-live-demo-test-")
        self.output = open(os.path.join(self.folder.name, "output"), "w+")
        self.process = subprocess.Popen(
            [program, "demo", "--port", "0", "--quiet"], stdout=self.output, stderr=subprocess.STDOUT,
            env=dict(os.environ, TMPDIR=self.folder.name))
        self.page = self.find(r"in a browser:\s+(http://\S+)")
        self.admin = self.find(r"admin (http://[\d.:]+)")
        self.live = self.find(r"tiffin-live demo: (http://[\d.:]+)")
        self.stranger = json.loads(self.get(self.page + "about"))["stranger"]

    def find(self, pattern):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            with open(self.output.name) as output:
                if found := re.search(pattern, output.read()):
                    return found.group(1)
            time.sleep(0.05)
        with open(self.output.name) as output:
            raise AssertionError(f"the demo did not start: {output.read()}")

    def get(self, url):
        with urllib.request.urlopen(url, timeout=30) as response:
            return response.read().decode()

    def count(self, metric):
        """The sum of all samples whose name and labels begin like this."""
        lines = self.get(self.admin + "/metrics").splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("tiffin_live_" + metric))

    def connections(self, user):
        return len(json.loads(self.get(f"{self.admin}/connections?user={user}")))

    def close(self):
        self.process.terminate()
        self.process.wait(60)
        self.output.close()
        self.folder.cleanup()
