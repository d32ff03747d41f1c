"""A TCP proxy that keeps every byte that passes, in both directions, and can be told to cut the line."""

import socket
import threading

from harness import free_port


class CapturingProxy:
    def __init__(self, target_port: int):
        self.target = ("127.0.0.1", target_port)
        self.port = free_port()
        self.to_relay = bytearray()
        self.from_relay = bytearray()
        self.connections: set[socket.socket] = set()
        self.lock = threading.Lock()
        self.passing = True
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def captured(self) -> bytes:
        with self.lock:
            return bytes(self.to_relay) + b"\n" + bytes(self.from_relay)

    def cut(self) -> None:
        """Drops every connection and refuses new ones until `mend`."""
        with self.lock:
            self.passing = False
            self._drop()

    def mend(self) -> None:
        with self.lock:
            self.passing = True

    def close(self) -> None:
        with self.lock:
            self.passing = False
            self.listener.close()
            self._drop()

    def _drop(self) -> None:
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.connections.clear()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                passing = self.passing
            try:
                relay = socket.create_connection(self.target, timeout=10) if passing else None
            except OSError:
                relay = None
            if relay is None:
                client.close()
                continue
            relay.settimeout(None)
            with self.lock:
                self.connections |= {client, relay}
            threading.Thread(target=self._pass, args=(client, relay, self.to_relay), daemon=True).start()
            threading.Thread(target=self._pass, args=(relay, client, self.from_relay), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, kept: bytearray) -> None:
        try:
            while chunk := source.recv(65536):
                with self.lock:
                    kept += chunk
                sink.sendall(chunk)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        # Only the direction towards the relay closes both ends, so that no descriptor is closed under the other thread.
        if kept is self.to_relay:
            with self.lock:
                self.connections -= {source, sink}
