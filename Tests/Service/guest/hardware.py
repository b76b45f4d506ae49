"""PIPE LIGHTS: a keypad and a GPIO chip for tests, as user-space devices of the kernel's uinput and uhid.

PIPE, a named pipe, takes a line each: `plug WHAT`, `unplug WHAT` (keys, chip), `key CODE VALUE`, `line NUMBER VALUE`.
LIGHTS, a file, has the values of the eight lines that are outputs, `-` for those that are not. The chip is what the driver
of a Silicon Labs CP2112 sees (USB to SMBus, with eight GPIO lines), since Debian's kernel has no simulated chip.
"""
import fcntl
import os
import select
import struct
import sys

KEYS = (169, 248, 445, 446)  # KEY_PHONE, KEY_MICMUTE, KEY_PICKUP_PHONE, KEY_HANGUP_PHONE


class Keys:
    """A keypad by the name of `Test keypad` (linux/uinput.h)."""

    def __init__(self):
        self.device = os.open("/dev/uinput", os.O_WRONLY | os.O_NONBLOCK)
        fcntl.ioctl(self.device, 0x40045564, 1)  # UI_SET_EVBIT, EV_KEY
        for key in KEYS:
            fcntl.ioctl(self.device, 0x40045565, key)  # UI_SET_KEYBIT
        setup = struct.pack("<4H80sI", 6, 1, 1, 1, b"Test keypad", 0)  # BUS_VIRTUAL
        fcntl.ioctl(self.device, 0x405C5503, setup)  # UI_DEV_SETUP
        fcntl.ioctl(self.device, 0x5501)  # UI_DEV_CREATE

    def key(self, code, value):
        for event in ((1, code, value), (0, 0, 0)):  # EV_KEY, then EV_SYN
            os.write(self.device, struct.pack("<qqHHi", 0, 0, *event))

    def unplug(self):
        os.close(self.device)


class Chip:
    """A CP2112 of feature reports (linux/uhid.h, drivers/hid/hid-cp2112.c); its GPIO chip has the label `cp2112_gpio`."""

    CONFIG, GET, SET, VERSION, SMBUS = 2, 3, 4, 5, 6
    # One collection with a feature report of each of these numbers, 13 octets long.
    DESCRIPTOR = bytes.fromhex("0600ff0901a101150026ff007508950d") + b"".join(
        bytes((0x85, number, 0x09, number, 0xB1, 0x02)) for number in (2, 3, 4, 5, 6)) + b"\xc0"

    def __init__(self, lights):
        self.lights = lights
        # The lines that are outputs, those outputs that push and pull, and the levels; inputs rest high.
        self.outputs, self.drive, self.levels = 0, 0, 0xFF
        self.device = os.open("/dev/uhid", os.O_RDWR | os.O_NONBLOCK)
        create = struct.pack("<128s64s64sHHIIII4096s", b"Test chip", b"", b"", len(self.DESCRIPTOR), 3, 0x10C4, 0xEA90, 1,
                             0, self.DESCRIPTOR)
        os.write(self.device, struct.pack("<I", 11) + create)  # UHID_CREATE2
        self.show()

    def show(self):
        text = "".join(str(self.levels >> n & 1) if self.outputs >> n & 1 else "-" for n in range(8))
        with open(self.lights + ".new", "w") as file:
            file.write(text + "\n")
        os.rename(self.lights + ".new", self.lights)

    def line(self, number, value):
        self.levels = self.levels & ~(1 << number) | value << number

    def report(self, number):
        return {
            self.CONFIG: bytes((self.CONFIG, self.outputs, self.drive, 0, 0)),
            self.GET: bytes((self.GET, self.levels)),
            self.VERSION: bytes((self.VERSION, 0x0C, 3)),
            self.SMBUS: bytes((self.SMBUS,)) + bytes(13),
        }.get(number)

    def take(self, data):
        if data[0] == self.CONFIG:
            self.outputs, self.drive = data[1], data[2]
        elif data[0] == self.SET:
            self.levels = self.levels & ~data[2] | data[1] & data[2]
        self.show()

    def serve(self):
        event = os.read(self.device, 4380)
        kind, = struct.unpack_from("<I", event)
        if kind == 9:  # UHID_GET_REPORT
            request, number = struct.unpack_from("<IB", event, 4)
            data = self.report(number)
            answer = struct.pack("<IIHH4096s", 10, request, 0 if data else 5, len(data or b""), data or b"")
            os.write(self.device, answer)
        elif kind == 13:  # UHID_SET_REPORT
            request, _, _, size = struct.unpack_from("<IBBH", event, 4)
            self.take(event[12:12 + size])
            os.write(self.device, struct.pack("<IIH", 14, request, 0))
        elif kind == 6:  # UHID_OUTPUT
            size, = struct.unpack_from("<H", event, 4 + 4096)
            self.take(event[4:4 + size])

    def unplug(self):
        os.close(self.device)


def main():
    pipe, lights = sys.argv[1:3]
    os.mkfifo(pipe)
    # For writing, too: so it does not end when a writer goes.
    commands = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    plugged = {}
    pending = b""
    while True:
        chip = plugged.get("chip")
        ready, _, _ = select.select([commands] + ([chip.device] if chip else []), [], [])
        if chip and chip.device in ready:
            chip.serve()
        if commands not in ready:
            continue
        pending += os.read(commands, 4096)
        *lines, pending = pending.split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words[0] == "plug":
                plugged[words[1]] = Keys() if words[1] == "keys" else Chip(lights)
            elif words[0] == "unplug":
                plugged.pop(words[1]).unplug()
            elif words[0] == "key":
                plugged["keys"].key(int(words[1]), int(words[2]))
            elif words[0] == "line":
                plugged["chip"].line(int(words[1]), int(words[2]))


main()
