/**
 * Motion JPEG on its way to viewers. The direct source, which sets up the camera's track, declares the interface that it
 * needs; the code that encodes video of the pictures implements it.
 */

import type { MediaReceiverEvents } from '../../rtp/media-receiver.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';

/** The pictures of one connection, with their audio. */
export interface JpegPath extends MediaReceiverEvents {
  /** Idempotent; resolves when everything is released. */
  close(): Promise<void>;
}

export interface JpegPaths {
  /** `sink` gets each picture as a still, and video while someone wants it. */
  open(sink: SourceSink): JpegPath;
}
