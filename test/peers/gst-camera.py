"""A camera nobody here wrote: GStreamer's RTSP server. Usage: gst-camera.py PORT KIND

Serves rtsp://127.0.0.1:PORT/stream and prints "ready" once it accepts connections. KIND chooses codecs:
h264-aac, h264-bframes-aac, h264-only, h264-opus, h264-pcmu, h265-pcmu, mjpeg-pcmu.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

SOURCE = "videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=25/1"
TONE = "audiotestsrc is-live=true wave=ticks"

VIDEO = {
    "h264": f"{SOURCE} ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=50 bitrate=1000"
    " ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96 config-interval=1",
    "h264-bframes": f"{SOURCE} ! x264enc speed-preset=ultrafast bframes=2 b-adapt=false key-int-max=50 rc-lookahead=0"
    " sync-lookahead=0 bitrate=1000 ! video/x-h264,profile=main ! rtph264pay name=pay0 pt=96",
    "h265": f"{SOURCE} ! x265enc tune=zerolatency speed-preset=ultrafast key-int-max=50 bitrate=1000"
    " ! rtph265pay name=pay0 pt=96 config-interval=1",
    "mjpeg": f"{SOURCE},format=I420 ! jpegenc quality=70 ! rtpjpegpay name=pay0 pt=26",
}
AUDIO = {
    "aac": f"{TONE} ! audio/x-raw,rate=48000,channels=2 ! avenc_aac bitrate=64000 ! rtpmp4gpay name=pay1 pt=97",
    "pcmu": f"{TONE} ! audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay name=pay1 pt=0",
    "opus": f"{TONE} ! audio/x-raw,rate=48000,channels=2 ! opusenc ! rtpopuspay name=pay1 pt=97",
    "only": "",
}


def main() -> None:
    port, kind = sys.argv[1], sys.argv[2]
    video, _, audio = kind.rpartition("-")
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(port)
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(f"( {VIDEO[video]} {AUDIO[audio]} )")
    factory.set_shared(True)
    server.get_mount_points().add_factory("/stream", factory)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


main()
