import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessUnit, Track } from '../../codec/track.ts';
import { defineErrors, GatewayError } from '../../core/errors.ts';
import type { SourceEvents } from './source-events.ts';
import { SourceSink } from './source-sink.ts';

const ERRORS = defineErrors({
  GONE: { kind: 'unavailable', message: 'gone' },
  LATER: { kind: 'unavailable', message: 'later' },
});
const TRACKS: readonly Track[] = [];
const UNIT: AccessUnit = {
  trackIndex: 0,
  dtsTicks: 0,
  ptsTicks: 0,
  isKey: true,
  data: new Uint8Array(1),
  arrivalMonoMs: 0,
};
const gone = () => new GatewayError(ERRORS.GONE);

let seen: string[];
let consumer: SourceEvents;
let sink: SourceSink;
beforeEach(() => {
  seen = [];
  consumer = {
    onTracks: () => seen.push('tracks'),
    onAccessUnit: () => seen.push('unit'),
    onSound: ({ kind }) => seen.push(`sound ${kind}`),
    onDropped: (frames, code) => seen.push(`dropped ${frames} ${code}`),
    onEnded: (error) => seen.push(`ended ${error.code}`),
  };
  sink = new SourceSink(consumer);
});

function everyEvent(of: SourceEvents): void {
  of.onSound?.({ kind: 'announced' });
  of.onTracks(TRACKS);
  of.onAccessUnit(UNIT);
  of.onDropped(2, 'LOST');
  of.onEnded(gone());
}
const ALL = ['sound announced', 'tracks', 'unit', 'dropped 2 LOST', 'ended GONE'];

describe('SourceSink', () => {
  it('passes everything on, but nothing after the end', () => {
    everyEvent(sink);
    everyEvent(sink);
    expect([seen, sink.isOver]).toEqual([ALL, true]);
  });

  it('passes nothing on once it is closed, including the end', () => {
    sink.close();
    sink.close();
    everyEvent(sink);
    expect(seen).toEqual([]);
  });

  it.each([
    ['onSound', 1],
    ['onTracks', 2],
    ['onAccessUnit', 3],
    ['onDropped', 4],
    ['onEnded', 5],
  ] as const)('can be closed from within %s', (event, heard) => {
    const inner = sink.branch();
    const before = consumer[event] as (...given: unknown[]) => unknown;
    Object.assign(consumer, {
      [event]: (...given: unknown[]) => {
        before(...given);
        sink.close();
      },
    });
    everyEvent(inner);
    everyEvent(inner);
    expect([seen, inner.isOver]).toEqual([ALL.slice(0, heard), true]);
  });

  it('works without a consumer of sound offers', () => {
    const { onSound: _, ...deaf } = consumer;
    new SourceSink(deaf).onSound({ kind: 'none' });
    expect(seen).toEqual([]);
  });
});

describe('a branch of a sink', () => {
  it('passes the same events to the same consumer', () => {
    everyEvent(sink.branch().branch());
    expect([seen, sink.isOver]).toEqual([ALL, true]);
  });

  it('is over when its sink is, even if it is made too late', () => {
    const inner = sink.branch().branch();
    sink.close();
    everyEvent(inner);
    everyEvent(sink.branch());
    expect([seen, inner.isOver]).toEqual([[], true]);
  });

  it('ends alone when it is closed, and when another one takes its place', () => {
    const first = sink.branch();
    first.close();
    everyEvent(first);
    const second = sink.branch();
    const third = sink.branch();
    everyEvent(second);
    expect([seen, sink.isOver]).toEqual([[], false]);
    everyEvent(third);
    expect(seen).toEqual(ALL);
  });

  it('is watched: first tracks once and before they are passed on, its error from the inside out', () => {
    const watcher = (name: string) => ({
      onOpened: () => void seen.push(`${name} opened`),
      onEnded: (error: GatewayError) => {
        seen.push(`${name} ended ${error.code}`);
        return new GatewayError(ERRORS.LATER);
      },
    });
    const inner = sink.branch(watcher('outer')).branch(watcher('inner'));
    expect(inner.hasOpened).toBe(false);
    inner.onTracks(TRACKS);
    inner.onTracks(TRACKS);
    expect(inner.hasOpened).toBe(true);
    inner.onEnded(gone());
    expect(seen).toEqual([
      'inner opened',
      'outer opened',
      'tracks',
      'tracks',
      'inner ended GONE',
      'outer ended LATER',
      'ended LATER',
    ]);
  });

  it('counts a still as open, for itself and the sinks above it, and tracks after it change nothing', () => {
    const watcher = (name: string) => ({
      onOpened: (tracks: readonly Track[]) => void seen.push(`${name} opened ${tracks.length}`),
    });
    consumer.onStill = () => seen.push('still');
    const outer = sink.branch(watcher('outer'));
    const inner = outer.branch(watcher('inner'));
    const still = { bytes: Buffer.alloc(1), widthPx: 8, heightPx: 8, arrivalMonoMs: 0 };
    inner.onStill(still);
    inner.onStill(still);
    expect([inner.hasOpened, outer.hasOpened, sink.hasOpened]).toEqual([true, true, true]);
    inner.onTracks(TRACKS);
    outer.close();
    inner.onStill(still);
    expect(seen).toEqual(['inner opened 0', 'outer opened 0', 'still', 'still', 'tracks']);
  });

  it('does not call its watcher about an attempt that was closed', () => {
    const watcher = { onOpened: () => void seen.push('opened'), onEnded: () => gone() };
    const inner = sink.branch(watcher);
    sink.close();
    everyEvent(inner);
    expect(seen).toEqual([]);
  });
});
