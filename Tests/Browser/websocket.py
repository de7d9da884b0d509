"""A WebSocket client (RFC 6455) for the debugging ports of browsers: text messages of any size, one peer, no extensions."""
import base64
import os
import socket
import struct


class WebSocket:
    def __init__(self, host, port, path, timeout=60):
        self.socket = socket.create_connection((host, port), timeout)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise ConnectionError(head.decode(errors="replace"))

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the browser ended the connection")
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.receive()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        if len(data) < 126:
            length = struct.pack("!B", 0x80 | len(data))
        elif len(data) < 1 << 16:
            length = struct.pack("!BH", 0x80 | 126, len(data))
        else:
            length = struct.pack("!BQ", 0x80 | 127, len(data))
        masked = bytes(byte ^ mask[index & 3] for index, byte in enumerate(data))
        self.socket.sendall(b"\x81" + length + mask + masked)

    def next(self):
        """The next text message."""
        message = b""
        while True:
            first, second = self.take(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack("!H", self.take(2))
            elif length == 127:
                length, = struct.unpack("!Q", self.take(8))
            payload, opcode = self.take(length), first & 0x0F
            if opcode == 8:
                raise ConnectionError("the browser closed the connection")
            if opcode in (0, 1, 2):
                message += payload
                if first & 0x80:
                    return message.decode()

    def close(self):
        self.socket.close()
