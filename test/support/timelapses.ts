/** Timelapses of a camera that was recorded over restarts, judged by the frame numbers in the picture. */

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodedFrameNumbers } from './frame-numbers.ts';
import type { Json, TestGateway } from './gateway.ts';
import { fetchOk, fetchRuns } from './hls.ts';
import { probedSeconds, probeStreams } from './media-check.ts';
import { BY_KEY, sessionQuery, type TestRange } from './recorded-past.ts';
import { FRAMES_PER_SEC } from './synthetic.ts';
import { until } from './until.ts';

export interface RecordedCamera {
  readonly gateway: TestGateway;
  readonly cameraUuid: string;
  /** The recorded range. */
  readonly range: TestRange;
  readonly picture: { readonly widthPx: number; readonly heightPx: number };
  /** The Media Playlist of the range. */
  readonly playlistUrl: () => Promise<string>;
}

export function describeTimelapses(recorded: () => RecordedCamera): void {
  describe('a timelapse', () => {
    let gateway: TestGateway;
    let cameraUuid: string;
    let range: TestRange;
    let picture: RecordedCamera['picture'];
    let playlistUrl: RecordedCamera['playlistUrl'];

    beforeAll(() => {
      ({ gateway, cameraUuid, range, picture, playlistUrl } = recorded());
    });

    const order = async (fields: Json) => {
      const response = await gateway.call('video/generateTimelapseClip', {
        deviceUuids: [cameraUuid],
        startTime: range.startSec * 1_000,
        videoFormat: '.mov',
        stopTime: (range.startSec + range.durationSec) * 1_000,
        drawTimestamp: false,
        drawCameraDetails: false,
        skipNights: false,
        skipWeekends: false,
        ...fields,
      });
      expect(response.errorMsg ?? null).toBeNull();
      return response.clipUuid as string;
    };
    /** As clients of the API family wait for it. */
    const completed = (clipUuid: string) =>
      until('the timelapse', async () => {
        const { timelapseClips } = await gateway.call('video/getTimelapseClips');
        const clip = timelapseClips.find((each: Json) => each.clipUuid === clipUuid);
        expect(clip.status.state).not.toBe('FAILED');
        return clip.status.percentComplete === 100 ? (clip as Json) : null;
      });
    const fileOf = async (clipUuid: string, name = 'mp4') => {
      const url = `${gateway.mediaUrl}/media/timelapse/${clipUuid}.${name}`;
      const response = await fetch(url, { headers: BY_KEY });
      expect(response.status).toBe(200);
      return { url, etag: response.headers.get('etag'), bytes: Buffer.from(await response.arrayBuffer()) };
    };

    /** Number in the first frame of each segment that begins in the range. */
    const firstNumbers = async (): Promise<(number | null)[]> => {
      const [startMs, endMs] = [range.startSec * 1_000, (range.startSec + range.durationSec) * 1_000];
      const found: (number | null)[] = [];
      for (const { segments, media } of await fetchRuns(await playlistUrl())) {
        const numbers = await decodedFrameNumbers(media, picture);
        let beforeSec = 0;
        for (const { duration, programDateTime: atMs } of segments) {
          const first = numbers[Math.round(beforeSec * FRAMES_PER_SEC)]!;
          if (atMs! >= startMs && atMs! < endMs) found.push(first);
          beforeSec += duration;
        }
      }
      expect(found.length).toBeGreaterThan(10);
      expect(found).not.toContain(null);
      return found;
    };

    it('has the first frame of each segment, as long as it was asked for', async () => {
      // So long that even two frames of the camera in a row are further apart than those of the movie can be.
      const clipUuid = await order({ videoDuration: 10, title: 'The lobby' });
      const listed = await completed(clipUuid);
      expect(listed).toMatchObject({
        clipDuration: 10,
        sources: [{ deviceUuid: cameraUuid }],
        title: 'The lobby',
      });
      const { url, bytes } = await fileOf(clipUuid);
      expect(await decodedFrameNumbers([bytes], picture)).toEqual(await firstNumbers());
      const streams = await probeStreams([bytes]);
      expect(streams.map(({ codec_type }) => codec_type)).toEqual(['video']);
      const headers = Object.entries(BY_KEY).map(([name, value]) => `${name}: ${value}\r\n`);
      expect(await probedSeconds(url, ['-headers', headers.join('')])).toBeCloseTo(10, 3);
      expect((await fileOf(clipUuid, 'jpeg')).bytes.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
      expect((await fetch(url)).status).toBe(401);
      expect((await fetch(`${url}${await sessionQuery(gateway)}`)).status).toBe(200);
      expect((await gateway.call('video/deleteTimelapseClips', { clipUuids: [clipUuid] })).error).toBe(false);
      expect((await fetch(url, { headers: BY_KEY })).status).toBe(404);
    });

    it('is shared by a link with a password, which ends with its group', async () => {
      const clipUuid = await order({ videoDuration: 2, title: 'Two days' });
      const { uuid, shareUrl } = await gateway.call('video/createSharedTimelapseGroup', {
        timelapseUuids: [clipUuid],
        title: 'Lobby',
        plaintextPassword: 'open sesame',
      });
      const open = (password: string) =>
        fetch(`${shareUrl}/open`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ password }),
        });
      expect((await open('wrong')).ok).toBe(false);
      const { kind, itemsUrl } = (await (await open('open sesame')).json()) as Json;
      expect(kind).toBe('timelapse');
      const listUrl = new URL(itemsUrl, gateway.mediaUrl).href;
      const item = await until('the shared timelapse', async () => {
        const { items } = JSON.parse((await fetchOk(listUrl)).toString());
        return items[0].state === 'ready' ? (items[0] as Json) : null;
      });
      expect(item).toMatchObject({ id: clipUuid, title: 'Two days', durationSec: 2 });
      const [file] = item.files;
      const shared = await fetchOk(new URL(file.url, listUrl).href);
      expect(shared.equals((await fileOf(clipUuid)).bytes)).toBe(true);
      expect((await fetchOk(new URL(file.imageUrl, listUrl).href)).subarray(0, 2)).toEqual(
        Buffer.from([0xff, 0xd8]),
      );
      await gateway.call('video/deleteSharedTimelapseGroup', { uuid });
      expect((await fetch(new URL(file.url, listUrl))).status).toBe(403);
      expect((await open('open sesame')).ok).toBe(false);
      await fileOf(clipUuid);
    });

    it('that was acknowledged is made, though the gateway is killed in the middle', async () => {
      // Some are being copied, some wait for a place, and the last one for its end.
      const stopTime = Date.now() + 2_000;
      const ordered = [
        ...(await Promise.all([1, 2, 3, 4, 5].map((videoDuration) => order({ videoDuration })))),
        await order({ videoDuration: 6, stopTime }),
      ];
      await gateway.restart('SIGKILL');
      const durations: number[] = [];
      for (const clipUuid of ordered) {
        const { clipDuration } = await completed(clipUuid);
        durations.push(clipDuration);
        const { etag, bytes } = await fileOf(clipUuid);
        expect(etag).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`);
        expect(await decodedFrameNumbers([bytes], picture)).not.toContain(null);
      }
      expect(durations).toEqual([1, 2, 3, 4, 5, 6]);
    });
  });
}
