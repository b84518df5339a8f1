/** kill -9 of a whole gateway that records a camera, takes a clip by tus and splices; judged over HTTP after each start. */

import { setTimeout as delay } from 'node:timers/promises';
import { clipFile, h264With } from '../clip-files.ts';
import { API_KEY, TestGateway } from '../gateway.ts';
import { fetchPlaylist } from '../hls.ts';
import { BY_KEY } from '../recorded-past.ts';
import { startCamera } from '../synthetic.ts';
import { tusUpload } from '../tus-upload.ts';
import { until } from '../until.ts';
import { sha256 } from './checks.ts';

/** A gateway starts again within this many attempts. */
const RETRIES_OVER_A_RESTART = 2_000;
const SPLICE_SEC = 3;
const SETTLE_MS = 60_000;
const CLIP_ROOM_MS = 10_000;
/** The store has whole milliseconds. */
const ROUNDING_MS = 1;

export interface GatewayKillReport {
  readonly rounds: number;
  readonly segments: number;
  readonly uploads: number;
  readonly splices: number;
  readonly faults: readonly string[];
  /** Longest time from the start of the process until it is ready. */
  readonly readyMs: number;
}

export async function gatewayKillRounds(rounds: number, maxWorkMs: number): Promise<GatewayKillReport> {
  const camera = await startCamera();
  const file = clipFile({ seconds: 4, size: '640x480', codecs: h264With('-qp 12') });
  const gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms' },
    sources: { backoffMin: '200ms', backoffMax: '1s' },
    recording: { fileSize: '4MiB', minFree: '16MiB' },
    cameras: [{ name: 'Lobby', rtsp: camera.url, recording: 'always' }],
  });
  try {
    const cameraUuid = await gateway.cameraUuid('Lobby');
    const trial = new GatewayTrial(gateway, cameraUuid, file);
    for (let round = 0; round < rounds; round++) {
      await trial.round(round, ((round * 37) % 100) / 100, maxWorkMs);
    }
    return trial.report(rounds);
  } finally {
    await gateway.dispose();
    await camera.close();
  }
}

class GatewayTrial {
  readonly #gateway: TestGateway;
  readonly #cameraUuid: string;
  readonly #file: Buffer;
  readonly #startSec = Math.floor(Date.now() / 1_000);
  /** By their program date times. */
  readonly #segments = new Map<number, string>();
  readonly #faults: string[] = [];
  #uploads = 0;
  #splices = 0;
  #readyMs = 0;

  constructor(gateway: TestGateway, cameraUuid: string, file: Buffer) {
    this.#gateway = gateway;
    this.#cameraUuid = cameraUuid;
    this.#file = file;
  }

  report(rounds: number): GatewayKillReport {
    return {
      rounds,
      segments: this.#segments.size,
      uploads: this.#uploads,
      splices: this.#splices,
      faults: this.#faults,
      readyMs: this.#readyMs,
    };
  }

  /** `share`: of the time at most, after which it is killed. */
  async round(round: number, share: number, maxWorkMs: number): Promise<void> {
    const firstMs = await until(
      'a recording to splice',
      async () => {
        const known = await this.#listed();
        // The newest ones, so that every round splices something else.
        return known.size > SPLICE_SEC + 1 && [...known.keys()].at(-SPLICE_SEC - 1);
      },
      SETTLE_MS,
    );
    for (const [epochMs, sum] of await this.#listed()) this.#segments.set(epochMs, sum);
    const uploading = tusUpload({
      endpoint: `${this.#gateway.mediaUrl}/upload/clips`,
      key: API_KEY,
      file: this.#file,
      retries: RETRIES_OVER_A_RESTART,
      metadata: this.#metadataOf(round),
    });
    const { clipUuid } = await this.#gateway.call('video/spliceV3', {
      deviceUuids: [`${this.#cameraUuid}.v0`],
      startTimeMillis: firstMs,
      durationSec: SPLICE_SEC,
    });
    await delay(share * maxWorkMs);
    await this.#gateway.end('SIGKILL');
    const beganMs = performance.now();
    await this.#gateway.run();
    this.#readyMs = Math.max(this.#readyMs, performance.now() - beganMs);
    await this.#checkSegments(round);
    const { status, body } = await uploading;
    this.#expect(`the upload of round ${round} succeeds: ${status} ${body}`, status === 0);
    this.#uploads++;
    await this.#checkClip(round, clipUuid);
  }

  #metadataOf(round: number) {
    const startMs = this.#startSec * 1_000 - 3_600_000 + round * CLIP_ROOM_MS;
    const title = `Kill ${round}`;
    return {
      clipId: title,
      cameraUuid: this.#cameraUuid,
      timestampMs: String(startMs),
      title,
      filetype: 'video/mp4',
    };
  }

  async #checkSegments(round: number): Promise<void> {
    const now = await this.#listed();
    const epochMsBySum = new Map(Array.from(now, ([epochMs, sum]) => [sum, epochMs]));
    for (const [epochMs, sum] of this.#segments) {
      const foundMs = epochMsBySum.get(sum) ?? Number.NEGATIVE_INFINITY;
      const isThere = Math.abs(foundMs - epochMs) <= ROUNDING_MS;
      this.#expect(`segment at ${epochMs} is there after kill ${round}`, isThere);
    }
  }

  async #checkClip(round: number, clipUuid: string): Promise<void> {
    this.#splices++;
    const clip = await until(
      `the clip of round ${round}`,
      async () => {
        const { savedClips } = await this.#gateway.call('event/getSavedClipsV2', { limit: 1_000 });
        const found = savedClips.find(({ uuid }: { uuid: string }) => uuid === clipUuid);
        if (found === undefined) this.#expect(`the clip of round ${round} is listed`, false);
        return found?.status === 'INITIATING' ? null : (found ?? { status: 'none' });
      },
      SETTLE_MS,
    );
    this.#expect(`the clip of round ${round} is complete, not ${clip.status}`, clip.status === 'COMPLETE');
    const url = `${this.#gateway.mediaUrl}/media/metadata/${this.#cameraUuid}/local/${clipUuid}.mp4`;
    const response = await fetch(url, { headers: BY_KEY });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isWhole = response.status === 200 && response.headers.get('etag')?.includes(sha256(bytes)) === true;
    this.#expect(`the file of round ${round} is whole: ${response.status}`, isWhole);
  }

  /** Recordings since the start, by program date times: the hash of each segment. */
  async #listed(): Promise<Map<number, string>> {
    const durationSec = Math.ceil(Date.now() / 1_000) - this.#startSec;
    const path = `vod/${this.#startSec}/${durationSec}/file.m3u8`;
    const entry = `${this.#gateway.mediaUrl}/media/${this.#cameraUuid}/local/${path}`;
    const text = await (await fetch(entry, { headers: BY_KEY })).text();
    const variant = text.split('\n').find((line) => line !== '' && !line.startsWith('#'));
    if (variant === undefined) throw new Error(text);
    const url = new URL(variant, entry).href;
    const found = new Map<number, string>();
    for (const { uri, programDateTime } of (await fetchPlaylist(url)).segments) {
      const response = await fetch(new URL(uri, url));
      if (response.status !== 200) throw new Error(`${uri}: ${response.status}`);
      found.set(Number(programDateTime), sha256(Buffer.from(await response.arrayBuffer())));
    }
    return found;
  }

  #expect(sentence: string, isTrue: boolean): void {
    if (!isTrue) this.#faults.push(`not so: ${sentence}`);
  }
}
