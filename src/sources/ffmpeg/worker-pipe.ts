/**
 * Reads a worker's pipe as fast as it fills, even if its bytes are discarded: a worker never waits for us. But all
 * others come first after a full read, and a worker that passes on a flood is ended like a camera that sends one.
 */

import type { Readable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import { FragmentReader, type FragmentSink } from '../../isobmff/fragment-reader.ts';
import type { FloodGuard } from '../../stream/source/flood-guard.ts';

/** The most that Node reads from a pipe in one read. */
export const FULL_READ_BYTES = 64 * 1_024;

export interface PipeReading {
  readonly sink: FragmentSink;
  readonly clock: Clock;
  /** One guard for all pipes of a worker. */
  readonly flood: FloodGuard;
  /** Bad output, an error from the sink, or FFMPEG_FLOOD. Called once; the rest is discarded. */
  readonly onFailed: (error: GatewayError) => void;
}

export function readFragments(pipe: Readable, { sink, clock, flood, onFailed }: PipeReading): void {
  const reader = new FragmentReader(sink);
  let counted = 0;
  let isBroken = false;
  const read = (chunk: Buffer): void => {
    reader.push(chunk);
    const nowMonoMs = clock.monoMs();
    const isAdmitted = flood.admits(reader.received - counted, chunk.length, nowMonoMs);
    counted = reader.received;
    if (!isAdmitted) throw new GatewayError(FFMPEG_ERRORS.FFMPEG_FLOOD, { ...flood.figures(nowMonoMs) });
  };
  const readOn = (): void => void pipe.resume();
  pipe.on('data', (chunk: Buffer) => {
    if (chunk.length >= FULL_READ_BYTES) {
      pipe.pause();
      setImmediate(readOn);
    }
    if (isBroken) return;
    try {
      read(chunk);
    } catch (error) {
      isBroken = true;
      onFailed(toGatewayError(error));
    }
  });
}
