"""A client of HLS nobody here wrote: GStreamer. Usage: gst-hls-client.py URL PICTURES

Decodes the video of a playlist, prints "WIDTH HEIGHT PTS_MS" for each picture, and ends after that many. Warnings and errors
go to stderr; status 1 after an error.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402


def main(url, pictures):
    Gst.init(None)
    pipeline = Gst.parse_launch("uridecodebin name=from caps=video/x-raw ! appsink name=to sync=false emit-signals=true")
    pipeline.get_by_name("from").set_property("uri", url)
    loop = GLib.MainLoop()
    shown = 0
    status = 0

    def on_sample(sink):
        nonlocal shown
        sample = sink.emit("pull-sample")
        caps = sample.get_caps().get_structure(0)
        pts_ms = sample.get_segment().to_stream_time(Gst.Format.TIME, sample.get_buffer().pts) // Gst.MSECOND
        if shown < pictures:
            print(caps.get_value("width"), caps.get_value("height"), pts_ms, flush=True)
        shown += 1
        if shown == pictures:
            GLib.idle_add(loop.quit)
        return Gst.FlowReturn.OK

    def on_message(_bus, message):
        nonlocal status
        if message.type == Gst.MessageType.WARNING:
            print("warning:", message.parse_warning()[0].message, file=sys.stderr)
        elif message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            what = message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else "the end"
            print("error:", what, file=sys.stderr)
            status = 1
            loop.quit()

    pipeline.get_by_name("to").connect("new-sample", on_sample)
    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    return status


sys.exit(main(sys.argv[1], int(sys.argv[2])))
