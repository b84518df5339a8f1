"""A reader nobody here wrote: GStreamer's rtspsrc. Usage: gst-rtsp-reader.py URL PROTOCOLS FRAMES FILE

Reads FRAMES frames of the video, and the sound that comes with them, into a Matroska file. PROTOCOLS are those of rtspsrc:
tcp, udp, http, tls. Prints "done" at the end, or "failed: " and the reason.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

url, protocols, frames, file = sys.argv[1:5]
left = int(frames)
Gst.init(None)
loop = GLib.MainLoop()
pipeline = Gst.Pipeline.new()
source = Gst.ElementFactory.make("rtspsrc")
Gst.util_set_object_arg(source, "protocols", protocols)
source.set_property("location", url)
source.set_property("latency", 200)
source.set_property("tls-validation-flags", 0)
muxer = Gst.ElementFactory.make("matroskamux")
sink = Gst.ElementFactory.make("filesink")
sink.set_property("location", file)
for element in (source, muxer, sink):
    pipeline.add(element)
muxer.link(sink)

PARTS = {
    "H264": ("rtph264depay", "h264parse"),
    "H265": ("rtph265depay", "h265parse"),
    "MPEG4-GENERIC": ("rtpmp4gdepay", "aacparse"),
    "OPUS": ("rtpopusdepay", "opusparse"),
    "PCMU": ("rtppcmudepay", "mulawdec"),
    "PCMA": ("rtppcmadepay", "alawdec"),
    "L16": ("rtpL16depay", "audioconvert"),
}


def count(pad, _info):
    global left
    left -= 1
    if left == 0:
        GLib.idle_add(lambda: pipeline.send_event(Gst.Event.new_eos()) and False)
    return Gst.PadProbeReturn.OK


def connect(_source, pad):
    name = pad.get_current_caps().get_structure(0).get_string("encoding-name").upper()
    before = pad
    for part in PARTS[name]:
        element = Gst.ElementFactory.make(part)
        pipeline.add(element)
        element.sync_state_with_parent()
        before.link(element.get_static_pad("sink"))
        before = element.get_static_pad("src")
    if name.startswith("H26"):
        before.add_probe(Gst.PadProbeType.BUFFER, count)
    before.link(muxer.request_pad_simple("video_%u" if name.startswith("H26") else "audio_%u"))


def on_message(_bus, message):
    if message.type == Gst.MessageType.ERROR:
        error, _debug = message.parse_error()
        print(f"failed: {error.message}", flush=True)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        print("done", flush=True)
        loop.quit()


source.connect("pad-added", connect)
bus = pipeline.get_bus()
bus.add_signal_watch()
bus.connect("message", on_message)
pipeline.set_state(Gst.State.PLAYING)
loop.run()
pipeline.set_state(Gst.State.NULL)
