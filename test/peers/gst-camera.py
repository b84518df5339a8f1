"""A camera nobody here wrote: GStreamer's RTSP server. Usage: gst-camera.py PORT KIND [PEM]

Serves rtsp://127.0.0.1:PORT/stream, or rtsps:// with the certificate and key in PEM, and the same over HTTP. Prints
"ready" once it accepts connections. KIND is a key of VIDEO, a hyphen and a key of AUDIO: h264-aac, h264-bframes-only. With
"none" as the video, the camera has only sound.
"""

import itertools
import re
import sys
import time
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import Gio, GLib, Gst, GstRtspServer  # noqa: E402

SOURCE = "videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=25/1"
TONE = "audiotestsrc is-live=true wave=ticks"

SIZES = [f"video/x-raw,{size},framerate=25/1" for size in ("width=640,height=360", "width=320,height=180")]

# Drawn by `number_frames`: each picture shows its own number, as those of the gateway's synthetic cameras do.
# In whole blocks of JPEG: RTP has no other sizes.
NUMBERED_SIZE = (320, 192)
NUMBERED = "appsrc name=numbered is-live=true format=time caps=video/x-raw,format=I420,width=320,height=192,framerate=25/1"

SIGNED_H264, SIGNED_H265 = (
    f"appsrc name=signed is-live=true format=time caps=video/x-{codec},stream-format=byte-stream,alignment=au"
    for codec in ("h264", "h265")
)

VIDEO = {
    "h264": f"{SOURCE} ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=50 bitrate=1000"
    " ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=1",
    "h264-bframes": f"{SOURCE} ! x264enc speed-preset=ultrafast bframes=2 b-adapt=false key-int-max=50 rc-lookahead=0"
    " sync-lookahead=0 bitrate=1000 ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96",
    # One key frame, and a gradual refresh from then on. The encoder does not state that in its first picture.
    "h264-refresh": f"{SOURCE} ! x264enc name=silent tune=zerolatency speed-preset=ultrafast intra-refresh=true key-int-max=25"
    " bitrate=1000 ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=1",
    # As x264 writes it.
    "h264-refresh-stated": f"{NUMBERED} ! x264enc tune=zerolatency speed-preset=ultrafast intra-refresh=true key-int-max=25"
    " bitrate=400 ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=1",
    "h264-switching": "videotestsrc is-live=true pattern=ball ! videoscale ! capsfilter name=size caps=" + SIZES[0] +
    " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=50 bitrate=1000"
    " ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=-1",
    # A key frame when the timer below asks for one, and none besides.
    "h264-irregular": f"{SOURCE} ! x264enc name=irregular tune=zerolatency speed-preset=ultrafast key-int-max=250 bitrate=1000"
    " ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=-1",
    "h265": f"{SOURCE},format=I420 ! x265enc tune=zerolatency speed-preset=ultrafast key-int-max=50 bitrate=1000"
    " ! rtph265pay name=pay0 pt=96 config-interval=1",
    # x265 needs much of a core for the size of the others.
    "h265-small": "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=180,framerate=25/1,format=I420"
    " ! x265enc tune=zerolatency speed-preset=ultrafast key-int-max=50 bitrate=400 ! rtph265pay name=pay0 pt=96 config-interval=1",
    "h264-numbered": f"{NUMBERED} ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 bitrate=400"
    " ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=1",
    # Encoded once; each connection gets the time at which it is sent in an SEI message, and timestamps of its own.
    "h264-sent": "appsrc name=sent is-live=true format=time caps=video/x-h264,stream-format=byte-stream,alignment=au"
    " ! rtph264pay name=pay0 pt=96 config-interval=1",
    # Files that a camera signed, again and again: as they are, with a byte of a frame changed, and with packets lost.
    "h264-signed": f"{SIGNED_H264} ! rtph264pay name=pay0 pt=96 config-interval=1",
    "h264-signed-changed": f"{SIGNED_H264} ! rtph264pay name=pay0 pt=96 config-interval=1",
    "h264-signed-lossy": f"{SIGNED_H264} ! rtph264pay name=pay0 pt=96 config-interval=1",
    "h265-signed": f"{SIGNED_H265} ! rtph265pay name=pay0 pt=96 config-interval=1",
    "mjpeg-numbered": f"{NUMBERED} ! jpegenc quality=70 ! rtpjpegpay name=pay0 pt=26",
    "mjpeg": f"{SOURCE},format=I420 ! jpegenc quality=70 ! rtpjpegpay name=pay0 pt=26",
    "vp8": f"{SOURCE},format=I420 ! vp8enc deadline=1 keyframe-max-dist=25 ! rtpvp8pay name=pay0 pt=96",
    # Color bars over a corner of noise: each picture is another one.
    "mjpeg-bars": "videotestsrc is-live=true pattern=smpte ! video/x-raw,width=1280,height=720,framerate=15/1,format=I420"
    " ! jpegenc quality=70 ! rtpjpegpay name=pay0 pt=26",
    "none": "",
}
AUDIO = {
    "aac": f"{TONE} ! audio/x-raw,rate=48000,channels=2 ! avenc_aac bitrate=64000 ! rtpmp4gpay name=pay1 pt=97",
    "pcmu": f"{TONE} ! audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay name=pay1 pt=0",
    "pcma": f"{TONE} ! audio/x-raw,rate=8000,channels=1 ! alawenc ! rtppcmapay name=pay1 pt=8",
    "l16": f"{TONE} ! audioconvert ! audio/x-raw,format=S16BE,rate=44100,channels=2 ! rtpL16pay name=pay1 pt=10",
    "g726": f"{TONE} ! audio/x-raw,rate=8000,channels=1 ! avenc_g726 bitrate=32000 ! rtpg726pay name=pay1 pt=97",
    "g722": f"{TONE} ! audio/x-raw,rate=16000,channels=1 ! avenc_g722 ! rtpg722pay name=pay1 pt=9",
    "mp3": f"{TONE} ! audio/x-raw,rate=44100,channels=2 ! lamemp3enc bitrate=128 cbr=true target=bitrate ! mpegaudioparse"
    " ! rtpmpapay name=pay1 pt=14",
    "opus": f"{TONE} ! audio/x-raw,rate=48000,channels=2 ! opusenc ! rtpopuspay name=pay1 pt=97",
    "only": "",
}


def switch_sizes(_factory, media) -> None:
    """Another resolution every five seconds, as cameras do for a night mode or at a change of their settings."""
    size = media.get_element().get_by_name("size")
    turns = iter(range(1, 1_000_000))

    def switch() -> bool:
        size.set_property("caps", Gst.Caps.from_string(SIZES[next(turns) % len(SIZES)]))
        return True

    if size is not None:
        GLib.timeout_add(5_000, switch)


# Seconds between two key frames, as encoders choose them that follow the scene.
IRREGULAR_SEC = [1, 0.4, 3, 0.2, 5, 2]


def ask_for_key_frames(_factory, media) -> None:
    """Key frames at intervals between a fifth of a second and five seconds."""
    encoder = media.get_element().get_by_name("irregular")
    turns = itertools.cycle(IRREGULAR_SEC)

    def ask() -> bool:
        asked = Gst.Structure.new_from_string("GstForceKeyUnit, all-headers=(boolean)true")
        encoder.get_static_pad("src").send_event(Gst.Event.new_custom(Gst.EventType.CUSTOM_UPSTREAM, asked))
        GLib.timeout_add(int(next(turns) * 1_000), ask)
        return False

    if encoder is not None:
        GLib.timeout_add(1_000, ask)


STATED, CHANGED = b" intra_refresh=1", b" intra_refresh=0"


def state_nothing(_factory, media) -> None:
    """Other encoders than x264 do not write their options into the first picture."""
    encoder = media.get_element().get_by_name("silent")

    def change(pad, info) -> Gst.PadProbeReturn:
        buffer = info.get_buffer()
        unit = buffer.extract_dup(0, buffer.get_size())
        if STATED not in unit:
            return Gst.PadProbeReturn.OK
        changed = Gst.Buffer.new_wrapped(unit.replace(STATED, CHANGED))
        changed.pts, changed.dts, changed.duration = buffer.pts, buffer.dts, buffer.duration
        pad.push(changed)
        return Gst.PadProbeReturn.DROP

    if encoder is not None:
        encoder.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, change)


FRAME_NS = 40 * Gst.MSECOND


def numbered_picture(number: int) -> bytes:
    """I420, with the strip of src/synthetic-camera/frame-number-strip.ts over a pattern that moves."""
    width, height = NUMBERED_SIZE
    bits = [number >> (15 - bit) & 1 for bit in range(16)]
    blocks = [1, *bits, 1 - sum(bits) % 2]
    edges = [round(block * width / len(blocks)) for block in range(len(blocks) + 1)]
    strip = b"".join(bytes([235 if white else 16]) * (edges[at + 1] - edges[at]) for at, white in enumerate(blocks))
    strip_rows = round(height / 12)
    pattern = bytes(16 + (column + number) % 200 for column in range(width))
    chroma = bytes([128]) * (width * height // 2)
    return strip * strip_rows + pattern * (height - strip_rows) + chroma


def number_frames(_factory, media) -> None:
    """A picture every 40 ms, none left out: one that is late has the time that it should have had."""
    source = media.get_element().get_by_name("numbered")
    numbers = itertools.count()
    due = next(numbers)

    def push() -> bool:
        nonlocal due
        now = source.get_current_running_time()
        while now != Gst.CLOCK_TIME_NONE and due * FRAME_NS <= now:
            buffer = Gst.Buffer.new_wrapped(numbered_picture(due % 65_536))
            buffer.pts, buffer.duration = due * FRAME_NS, FRAME_NS
            if source.emit("push-buffer", buffer) == Gst.FlowReturn.FLUSHING:
                return False
            due = next(numbers)
        return True

    if source is not None:
        GLib.timeout_add(10, push)


SENT_ENCODER = (
    f"{NUMBERED} ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 bitrate=400"
    " ! video/x-h264,profile=main,stream-format=byte-stream,alignment=au ! appsink name=coded emit-signals=true sync=false"
)
SEI_UUID = bytes(range(0x40, 0x50))


def sei_of_now() -> bytes:
    """User data, unregistered (ISO/IEC 14496-10 D.1.7): in digits, which need no emulation prevention."""
    payload = SEI_UUID + f"{time.time_ns():020d}".encode()
    return b"\x00\x00\x00\x01\x06\x05" + bytes([len(payload)]) + payload + b"\x80"


def with_sei(unit: bytes) -> bytes:
    """Before the first slice."""
    at = unit.find(b"\x00\x00\x01")
    while at >= 0 and unit[at + 3] & 0x1F not in (1, 5):
        at = unit.find(b"\x00\x00\x01", at + 3)
    begin = at - 1 if at > 0 and unit[at - 1] == 0 else at
    return unit[:begin] + sei_of_now() + unit[begin:]


class SentPictures:
    """One encoder, as a camera has, and what each connection gets of it."""

    def __init__(self) -> None:
        self.connections: list = []
        self.pipeline = Gst.parse_launch(SENT_ENCODER)
        self.pipeline.get_by_name("coded").connect("new-sample", self.coded)
        self.pipeline.set_state(Gst.State.PLAYING)
        number_frames(None, self)

    def get_element(self):
        return self.pipeline

    def join(self, _factory, media) -> None:
        source = media.get_element().get_by_name("sent")
        if source is not None:
            self.connections.append([source, None])

    def coded(self, sink) -> Gst.FlowReturn:
        buffer = sink.emit("pull-sample").get_buffer()
        unit = buffer.extract_dup(0, buffer.get_size())
        is_key = not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT)
        for connection in list(self.connections):
            source, first = connection
            if first is None:
                now = source.get_current_running_time()
                if not is_key or now == Gst.CLOCK_TIME_NONE:
                    continue
                first = connection[1] = buffer.pts - now
            sent = Gst.Buffer.new_wrapped(with_sei(unit))
            sent.pts, sent.duration = buffer.pts - first, FRAME_NS
            if source.emit("push-buffer", sent) == Gst.FlowReturn.FLUSHING:
                self.connections.remove(connection)
        return Gst.FlowReturn.OK


FIXTURES = Path(__file__).resolve().parents[2] / "src/codec/media-signing/fixtures"
# The file has four whole groups.
GROUPS, GROUP_FRAMES = 4, 62
CHANGED_FRAME = 100
LOST_EVERY = 150


START_CODE = b"\x00\x00\x00\x01"
EMULATION = re.compile(rb"\x00\x00(?=[\x00-\x03])")


def nalus_of(sample: bytes):
    at = 0
    while at < len(sample):
        size = int.from_bytes(sample[at : at + 4], "big")
        yield sample[at + 4 : at + 4 + size]
        at += 4 + size


def is_sei(nalu: bytes, codec: str) -> bool:
    return nalu[0] & 0x1F == 6 if codec == "h264" else nalu[0] >> 1 & 0x3F in (39, 40)


def escaped(nalu: bytes, codec: str) -> bytes:
    """In the file, the camera's SEIs have no emulation prevention, which a stream needs."""
    return EMULATION.sub(b"\x00\x00\x03", nalu) if is_sei(nalu, codec) else nalu


def endless(frames: list[list[bytes]], sets: list[bytes], codec: str) -> list[list[bytes]]:
    """The whole groups. What the camera states about the last one comes with the first one of the next round."""
    last = GROUPS * GROUP_FRAMES
    statement = next(nalu for frame in frames[last:] for nalu in frame if is_sei(nalu, codec))
    return [sets + frames[0], [statement, *frames[1]], *frames[2:last]]


def parameter_sets(caps, codec: str) -> list[bytes]:
    """Of an avcC or hvcC."""
    data = caps.get_structure(0).get_value("codec_data")
    config = data.extract_dup(0, data.get_size())
    sets, at = [], 5 if codec == "h264" else 23
    arrays = 2 if codec == "h264" else config[22]
    for array in range(arrays):
        if codec == "h264":
            count, at = config[at] & (0x1F if array == 0 else 0xFF), at + 1
        else:
            count, at = int.from_bytes(config[at + 1 : at + 3], "big"), at + 3
        for _ in range(count):
            size = int.from_bytes(config[at : at + 2], "big")
            sets.append(config[at + 2 : at + 2 + size])
            at += 2 + size
    return sets


class SignedPictures:
    """The frames of a file that a camera signed, without end."""

    def __init__(self, codec: str, is_changed: bool) -> None:
        file = FIXTURES / f"signed-{codec}.mp4"
        pipeline = Gst.parse_launch(f"filesrc location={file} ! qtdemux ! appsink name=coded sync=false")
        pipeline.set_state(Gst.State.PLAYING)
        coded = pipeline.get_by_name("coded")
        frames, sets = [], []
        while (sample := coded.emit("pull-sample")) is not None:
            buffer = sample.get_buffer()
            sets = parameter_sets(sample.get_caps(), codec)
            frames.append([escaped(nalu, codec) for nalu in nalus_of(buffer.extract_dup(0, buffer.get_size()))])
        pipeline.set_state(Gst.State.NULL)
        self.units = [b"".join(START_CODE + nalu for nalu in frame) for frame in endless(frames, sets, codec)]
        if is_changed:
            unit = bytearray(self.units[CHANGED_FRAME])
            unit[-2] ^= 1
            self.units[CHANGED_FRAME] = bytes(unit)

    def configure(self, _factory, media) -> None:
        source = media.get_element().get_by_name("signed")
        numbers = itertools.count()
        due = next(numbers)

        def push() -> bool:
            nonlocal due
            now = source.get_current_running_time()
            while now != Gst.CLOCK_TIME_NONE and due * FRAME_NS <= now:
                buffer = Gst.Buffer.new_wrapped(self.units[due % len(self.units)])
                buffer.pts, buffer.duration = due * FRAME_NS, FRAME_NS
                if source.emit("push-buffer", buffer) == Gst.FlowReturn.FLUSHING:
                    return False
                due = next(numbers)
            return True

        GLib.timeout_add(10, push)


def lose_packets(_factory, media) -> None:
    """Some packets leave the camera and do not arrive: their numbers are missing."""
    packets = itertools.count(1)

    def drop(_pad, _info) -> Gst.PadProbeReturn:
        return Gst.PadProbeReturn.DROP if next(packets) % LOST_EVERY == 0 else Gst.PadProbeReturn.OK

    def drop_in_list(_pad, info) -> Gst.PadProbeReturn:
        packet_list = info.get_buffer_list()
        if any(next(packets) % LOST_EVERY == 0 for _ in range(packet_list.length())):
            return Gst.PadProbeReturn.DROP
        return Gst.PadProbeReturn.OK

    pad = media.get_element().get_by_name("pay0").get_static_pad("src")
    pad.add_probe(Gst.PadProbeType.BUFFER, drop)
    pad.add_probe(Gst.PadProbeType.BUFFER_LIST, drop_in_list)


def require_tls(server: GstRtspServer.RTSPServer, factory: GstRtspServer.RTSPMediaFactory, pem: str) -> None:
    """TLS comes with access control, which anyone passes here."""
    anyone = GstRtspServer.RTSPToken()
    anyone.set_string(GstRtspServer.RTSP_TOKEN_MEDIA_FACTORY_ROLE, "anyone")
    auth = GstRtspServer.RTSPAuth()
    auth.set_tls_certificate(Gio.TlsCertificate.new_from_file(pem))
    auth.set_default_token(anyone)
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    for permission in (
        GstRtspServer.RTSP_PERM_MEDIA_FACTORY_ACCESS,
        GstRtspServer.RTSP_PERM_MEDIA_FACTORY_CONSTRUCT,
    ):
        permissions.add_permission_for_role("anyone", permission, True)
    factory.set_permissions(permissions)


def main() -> None:
    port, kind = sys.argv[1], sys.argv[2]
    video, _, audio = kind.rpartition("-")
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(port)
    factory = GstRtspServer.RTSPMediaFactory()
    sound = AUDIO[audio].replace("pay1", "pay0") if video == "none" else AUDIO[audio]
    factory.set_launch(f"( {VIDEO[video]} {sound} )")
    factory.set_shared(True)
    factory.connect("media-configure", switch_sizes)
    factory.connect("media-configure", ask_for_key_frames)
    factory.connect("media-configure", number_frames)
    factory.connect("media-configure", state_nothing)
    if video == "h264-sent":
        factory.set_shared(False)
        factory.connect("media-configure", SentPictures().join)
    if "-signed" in video:
        signed = SignedPictures(video.split("-")[0], video.endswith("changed"))
        factory.connect("media-configure", signed.configure)
    if video.endswith("lossy"):
        factory.connect("media-configure", lose_packets)
    if len(sys.argv) > 3:
        require_tls(server, factory, sys.argv[3])
    server.get_mount_points().add_factory("/stream", factory)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
