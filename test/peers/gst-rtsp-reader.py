"""A reader nobody here wrote: GStreamer's rtspsrc. Usage: gst-rtsp-reader.py URL PROTOCOLS FRAMES FILE

Writes FRAMES frames of the video into a file, as a byte stream. PROTOCOLS are those of rtspsrc: tcp, udp, http. Prints "done, sound: N" at
the end, with the number of frames of the sound, or "failed: " and the reason.
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
pipeline.add(source)
output = open(file, "wb")
sound = 0

DEPAYLOADERS = {"MPEG4-GENERIC": "rtpmp4gdepay", "OPUS": "rtpopusdepay", "PCMU": "rtppcmudepay", "L16": "rtpL16depay"}


def on_picture(_pad, info):
    global left
    if left > 0:
        buffer = info.get_buffer()
        output.write(buffer.extract_dup(0, buffer.get_size()))
        left -= 1
        if left == 0:
            GLib.idle_add(finish)
    return Gst.PadProbeReturn.OK


def on_sound(_pad, _info):
    global sound
    sound += 1
    return Gst.PadProbeReturn.OK


def finish():
    output.close()
    print(f"done, sound: {sound}", flush=True)
    loop.quit()


def connect(_source, pad):
    name = pad.get_current_caps().get_structure(0).get_string("encoding-name").upper()
    codec = name.lower()
    video = f"rtp{codec}depay ! {codec}parse config-interval=-1 ! video/x-{codec},stream-format=byte-stream,alignment=au"
    is_video = name.startswith("H26")
    part = Gst.parse_bin_from_description(f"{video if is_video else DEPAYLOADERS[name]} ! fakesink name=end sync=false", True)
    pipeline.add(part)
    part.get_by_name("end").get_static_pad("sink").add_probe(
        Gst.PadProbeType.BUFFER, on_picture if is_video else on_sound
    )
    part.sync_state_with_parent()
    pad.link(part.get_static_pad("sink"))


def on_message(_bus, message):
    if message.type == Gst.MessageType.ERROR:
        error, debug = message.parse_error()
        print(f"failed: {error.message} {debug}", flush=True)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        print("failed: the end", flush=True)
        loop.quit()


source.connect("pad-added", connect)
bus = pipeline.get_bus()
bus.add_signal_watch()
bus.connect("message", on_message)
pipeline.set_state(Gst.State.PLAYING)
loop.run()
pipeline.set_state(Gst.State.NULL)
