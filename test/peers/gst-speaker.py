"""A camera with a speaker that nobody here wrote: GStreamer's ONVIF server. Usage: gst-speaker.py PORT LAW

Serves rtsp://127.0.0.1:PORT/stream with H.264 and G.711, and the back channel of the ONVIF Streaming Specification with LAW
(PCMU or PCMA). Prints "ready" once it accepts connections, then a line for each buffer that its speaker plays: "heard", the epoch
milliseconds, and the samples (16 bits, little-endian, hexadecimal).
"""

import sys
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstApp, GstRtspServer  # noqa: E402, F401

# A client that talks sets up the back channel alone. Without these tees, the other sources then fail as not linked. If they fail
# before the back channel has started, GStreamer never starts it: it accepts the client's packets, and plays none.
MEDIA = (
    "( videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=180,framerate=25/1"
    " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 bitrate=400"
    " ! video/x-h264,profile=main ! tee allow-not-linked=true ! rtph264pay name=pay0 pt=96 config-interval=1"
    " audiotestsrc is-live=true wave=ticks ! audio/x-raw,rate=8000,channels=1 ! mulawenc"
    " ! tee allow-not-linked=true ! rtppcmupay name=pay1 pt=97 )"
)
CODECS = {"PCMU": (0, "rtppcmudepay ! mulawdec"), "PCMA": (8, "rtppcmadepay ! alawdec")}


def speaker_of(law: str) -> str:
    payload, decoder = CODECS[law]
    caps = f"application/x-rtp,media=audio,payload={payload},clock-rate=8000,encoding-name={law}"
    return (
        f'( capsfilter caps="{caps}" name=depay_backchannel ! {decoder}'
        " ! appsink name=speaker emit-signals=true sync=false async=false )"
    )


def play(sink) -> Gst.FlowReturn:
    buffer = sink.emit("pull-sample").get_buffer()
    samples = buffer.extract_dup(0, buffer.get_size())
    print("heard", time.time_ns() // 1_000_000, samples.hex(), flush=True)
    return Gst.FlowReturn.OK


def configure(_factory, media) -> None:
    speaker = media.get_element().get_by_name("speaker")
    if speaker is not None:
        speaker.connect("new-sample", play)


def main() -> None:
    port, law = sys.argv[1:3]
    Gst.init(None)
    server = GstRtspServer.RTSPOnvifServer.new()
    server.set_address("127.0.0.1")
    server.set_service(port)
    factory = GstRtspServer.RTSPOnvifMediaFactory.new()
    factory.set_launch(MEDIA)
    factory.set_backchannel_launch(speaker_of(law))
    factory.set_media_gtype(GstRtspServer.RTSPOnvifMedia.__gtype__)
    factory.set_shared(False)
    factory.connect("media-configure", configure)
    server.get_mount_points().add_factory("/stream", factory)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
