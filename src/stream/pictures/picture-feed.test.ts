import { beforeEach, describe, expect, it } from 'vitest';
import { ByteQueue } from '../../cmaf/byte-queue.ts';
import { BLOCK_BYTES, mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import type { Track } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { settle, setup } from '../hub-fixture.ts';
import { STREAM_ERRORS } from '../media/errors.ts';
import { PictureFeed } from './picture-feed.ts';
import { nalUnitData, RecordingReader, SPS, unitOf, videoTrack } from './picture-fixture.ts';
import { MAX_GROUP_BYTES } from './picture-group.ts';

const AUDIO = { kind: 'audio' } as Track;

let clock: FakeClock;
let feed: PictureFeed;
beforeEach(() => {
  clock = new FakeClock();
  feed = new PictureFeed(clock, { shareNewest: () => null, onReaders: () => undefined });
  feed.setTracks([videoTrack()]);
});

function readerOf(attached = feed): RecordingReader {
  const reader = new RecordingReader();
  attached.attach(reader);
  return reader;
}

describe('PictureFeed', () => {
  it('starts a reader with the newest group of pictures, then follows', () => {
    for (const [index, isKey] of [true, false, true, false].entries()) feed.push(unitOf(index, isKey));
    const reader = readerOf();
    expect(reader.frames).toEqual(['K2', 'd3']);
    feed.push(unitOf(4, false));
    feed.push(unitOf(5, true));
    expect(reader.frames).toEqual(['K2', 'd3', 'd4', 'K5']);
  });

  it('gives all readers the same objects, whenever they come', () => {
    feed.push(unitOf(0, true));
    const early = readerOf();
    feed.push(unitOf(1, false));
    const late = readerOf();
    feed.push(unitOf(2, false));
    expect(late.pictures).toHaveLength(3);
    expect(late.pictures.every((picture, index) => picture === early.pictures[index])).toBe(true);
  });

  it('gives a reader that comes after all others left the whole group', () => {
    feed.push(unitOf(0, true));
    const first = readerOf();
    feed.push(unitOf(1, false));
    feed.detach(first);
    feed.push(unitOf(2, false));
    expect(readerOf().frames).toEqual(['K0', 'd1', 'd2']);
    expect(first.frames).toEqual(['K0', 'd1']);
  });

  it('copies what the source lends', () => {
    const data = nalUnitData(true, 7);
    feed.push(unitOf(0, true, data));
    const reader = readerOf();
    const live = nalUnitData(false, 8);
    feed.push(unitOf(1, false, live));
    data.fill(0);
    live.fill(0);
    expect(reader.frames).toEqual(['K7', 'd8']);
  });

  it('takes the bytes that are kept anyway, and gives them back with the group', () => {
    const queue = new ByteQueue();
    let hasPackager = true;
    feed = new PictureFeed(clock, {
      shareNewest: () => (hasPackager ? queue.shareLast(BLOCK_BYTES) : null),
      onReaders: () => undefined,
    });
    feed.setTracks([videoTrack()]);
    const push = (index: number, isKey: boolean) => {
      const data = nalUnitData(isKey, index, BLOCK_BYTES - 5);
      if (hasPackager) queue.append(data);
      feed.push(unitOf(index, isKey, data));
    };
    const before = mediaBlockBytes().used;
    push(0, true);
    push(1, false);
    expect(mediaBlockBytes().used - before).toBe(2 * BLOCK_BYTES);
    queue.clear();
    hasPackager = false;
    push(2, false);
    expect(readerOf().frames).toEqual(['K0', 'd1', 'd2']);
    expect(mediaBlockBytes().used - before).toBe(3 * BLOCK_BYTES);
    feed.end(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    expect(mediaBlockBytes().used).toBe(before);
  });

  it('leaves out what cannot be decoded: before a key frame, after a damaged one, of another track', () => {
    feed.setTracks([AUDIO, videoTrack(Uint8Array.of(0x67, 1))]);
    const reader = readerOf();
    const video = (index: number, isKey: boolean, data?: Buffer) =>
      feed.push({ ...unitOf(index, isKey, data), trackIndex: 1 });
    feed.push(unitOf(0, true));
    video(1, false);
    video(2, true);
    video(3, true, Buffer.alloc(0));
    video(4, false);
    expect(readerOf().frames).toEqual([]);
    video(5, true);
    expect(reader.frames).toEqual(['K2', 'K5']);
  });

  it('waits for a key frame after other parameter sets, and not after the same ones', () => {
    feed.push(unitOf(0, true));
    const reader = readerOf();
    feed.setTracks([videoTrack(Uint8Array.from(SPS))]);
    feed.push(unitOf(1, false));
    feed.setTracks([videoTrack(Uint8Array.of(0x67, 1))]);
    feed.push(unitOf(2, false));
    feed.push(unitOf(3, true));
    expect(reader.frames).toEqual(['K0', 'd1', 'K3']);
    expect(reader.pictures.at(-1)!.track.sps[0]).toEqual(Uint8Array.of(0x67, 1));
  });

  it('waits for a key frame after another VPS', () => {
    const h265 = (vps: number) =>
      ({ ...videoTrack(), codec: 'h265', vps: [Uint8Array.of(0x40, vps)] }) as const;
    feed.setTracks([h265(1)]);
    feed.push(unitOf(0, true));
    const reader = readerOf();
    feed.setTracks([h265(1)]);
    feed.push(unitOf(1, false));
    feed.setTracks([h265(2)]);
    feed.push(unitOf(2, false));
    feed.push(unitOf(3, true));
    expect(reader.frames).toEqual(['K0', 'd1', 'K3']);
  });

  it('stamps frames with the wall clock of their arrival, whatever the camera says', () => {
    clock.advance(5_000);
    const startEpochMs = clock.epochMs() - clock.monoMs();
    const reader = readerOf();
    feed.restart();
    for (let index = 0; index < 4; index++) {
      feed.push({ ...unitOf(1_000 + index, index === 0), arrivalMonoMs: 5_000 + index * 40 });
    }
    expect(reader.pictures.map(({ epochMs }) => epochMs - startEpochMs)).toEqual([
      5_000, 5_040, 5_080, 5_120,
    ]);
    // A jump of the camera's clock.
    feed.push({ ...unitOf(9_000_000, true), arrivalMonoMs: 5_160 });
    expect(reader.pictures.at(-1)!.epochMs - startEpochMs).toBe(5_160);
  });

  it('never stamps a frame much later than it came, though the first one was late', () => {
    const startEpochMs = clock.epochMs() - clock.monoMs();
    const reader = readerOf();
    feed.push({ ...unitOf(0, true), arrivalMonoMs: 30 });
    for (let index = 1; index < 4; index++) feed.push(unitOf(index, false));
    expect(reader.pictures.map(({ epochMs }) => epochMs - startEpochMs)).toEqual([30, 40, 80, 120]);
  });

  it('does not keep a group that is too large, and goes on with the next one', () => {
    const half = nalUnitData(false, 9, MAX_GROUP_BYTES / 2);
    feed.push(unitOf(0, true));
    const early = readerOf();
    feed.push(unitOf(1, false, half));
    feed.push(unitOf(2, false, half));
    const late = readerOf();
    expect([early.frames, late.frames]).toEqual([['K0', 'd9', 'd9'], []]);
    feed.push(unitOf(3, true));
    expect([late.frames, readerOf().frames]).toEqual([['K3'], ['K3']]);
  });

  it('tells readers once that the stream is gone, and keeps nothing of it', () => {
    feed.push(unitOf(0, true));
    const reader = readerOf();
    feed.end(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
    feed.end(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE));
    feed.push(unitOf(1, false));
    expect([reader.gone, reader.frames, feed.readers]).toEqual([['STREAM_OFFLINE'], ['K0'], 0]);
    expect(readerOf().frames).toEqual([]);
  });

  it('lets a reader leave while it is called', () => {
    feed.push(unitOf(0, true));
    feed.push(unitOf(1, false));
    const reader = new RecordingReader();
    const onPicture = reader.onPicture.bind(reader);
    reader.onPicture = (picture) => {
      onPicture(picture);
      feed.detach(reader);
    };
    feed.attach(reader);
    expect([reader.frames, feed.readers]).toEqual([['K0'], 0]);
  });
});

describe('a camera', () => {
  it('hands out the access units of both streams, from before it opens until it is down', async () => {
    const { stream, main, sub } = setup(true);
    const readers = (['main', 'sub'] as const).map((profile) => {
      const reader = new RecordingReader();
      stream.pictures(profile)!.attach(reader);
      return reader;
    });
    stream.touch('silent');
    await settle();
    for (const [source, fill] of [
      [main, 1],
      [sub!, 2],
    ] as const) {
      source.current.onTracks([videoTrack()]);
      source.current.onAccessUnit(unitOf(0, true, nalUnitData(true, fill)));
    }
    expect(readers.map(({ frames }) => frames)).toEqual([['K1'], ['K2']]);
    main.current.onEnded(new GatewayError(STREAM_ERRORS.STREAM_SILENT));
    expect(readers.map(({ gone }) => gone)).toEqual([['STREAM_OFFLINE'], []]);
    await stream.close();
    expect(readers[1]!.gone).toEqual(['STREAM_CLOSED']);
  });

  it('without a substream has no access units of it', () => {
    expect(setup().stream.pictures('sub')).toBeNull();
  });
});
