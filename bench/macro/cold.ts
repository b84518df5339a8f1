/**
 * `cold`: how soon there is video of a camera that nobody watched, whose key frames come every 2 s or every 10 s, and
 * which sends one at PLAY. Counted from that key frame, so that the time of its connection is not in it: init segment and
 * media from the bare URL; ffmpeg's first frame from the bare URL and from the manifest; and the first frame on the page in Chromium, from the
 * navigation. The reference is ffmpeg, which reads the same kind of camera without a gateway.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TestGateway, type TestShare } from '../../test/support/gateway.ts';
import { fetchOk, fetchPlaylist, openBareUrl } from '../../test/support/hls.ts';
import { PromptCamera } from '../../test/support/prompt-camera.ts';
import { makeClip } from '../../test/support/synthetic.ts';
import { type BenchOptions, type BenchResult, median, type Row } from '../report.ts';

const exec = promisify(execFile);
const GOPS_SEC = [2, 10];

/** Checked with the types of browsers, by test/web/tsconfig.json. */
const IN_BROWSERS: string = './cold/pages.ts';

/** Resolves when there is video; `rtspUrl`: of the camera itself. */
export type Watch = (share: TestShare, rtspUrl: string) => Promise<void>;

const WATCHES: Readonly<Record<string, Watch>> = {
  'ffmpeg, camera': (_share, rtspUrl) =>
    decodeOne(['-rtsp_transport', 'tcp', '-analyzeduration', '0', '-i', rtspUrl]),
  'bare URL, first media': ({ m3u8Url }) => fetchFirst(m3u8Url),
  'bare URL, ffmpeg': ({ m3u8Url }) => decodeOne(['-i', m3u8Url]),
  'manifest, ffmpeg': ({ m3u8Url }) => decodeOne(['-i', m3u8Url.replace('m3u8', 'mpd')]),
};

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const rounds = isShort ? 2 : 10;
  const pages = (await import(IN_BROWSERS)) as {
    withColdPages<T>(use: (pageMs: (share: TestShare) => Promise<number>) => Promise<T>): Promise<T>;
  };
  const rows: Row[] = [];
  const figures: Record<string, number> = {};
  for (const gopSec of GOPS_SEC) {
    const clip = await makeClip(640, 360, { gopSec });
    const names = [...Object.keys(WATCHES), 'page'];
    const cameras = new Map<string, PromptCamera>();
    for (const name of names) {
      for (let round = 0; round < rounds; round++) {
        cameras.set(`${name} ${round}`, await PromptCamera.start(clip));
      }
    }
    const gateway = await TestGateway.start({
      hls: { idleStop: '5m' },
      cameras: [...cameras].map(([name, { url }]) => ({ name, rtsp: url })),
    });
    try {
      const measured = new Map<string, number[]>(names.map((name) => [name, []]));
      await pages.withColdPages(async (pageMs) => {
        for (let round = 0; round < rounds; round++) {
          for (const [name, watch] of Object.entries(WATCHES)) {
            const camera = cameras.get(`${name} ${round}`)!;
            const share = await gateway.share(`${name} ${round}`);
            await watch(share, camera.url);
            measured.get(name)!.push(Date.now() - (await camera.keyEpochMs()));
          }
          measured.get('page')!.push(await pageMs(await gateway.share(`page ${round}`)));
        }
      });
      for (const [name, values] of measured) {
        rows.push({
          case: `${name}, key frame every ${gopSec} s`,
          'median ms': median(values),
          'worst ms': Math.max(...values),
        });
      }
      const of = (name: string) => median(measured.get(name)!);
      figures[`bareUrlMs${gopSec}s`] = of('bare URL, first media');
      figures[`ffmpegVsCamera${gopSec}s`] = of('bare URL, ffmpeg') / of('ffmpeg, camera');
      figures[`pageMs${gopSec}s`] = of('page');
    } finally {
      await gateway.dispose();
      await Promise.all([...cameras.values()].map((camera) => camera.close()));
    }
  }
  return { name: 'cold', rows, figures };
}

async function fetchFirst(m3u8Url: string): Promise<void> {
  const url = await openBareUrl(m3u8Url);
  const { segments } = await fetchPlaylist(url);
  const [first] = segments;
  if (first === undefined) throw new Error('the playlist has no segment');
  await Promise.all([first.map.uri, first.uri].map((uri) => fetchOk(new URL(uri, url).href)));
}

async function decodeOne(input: readonly string[]): Promise<void> {
  const output = ['-map', '0:v', '-frames:v', '1', '-f', 'null', '-'];
  await exec('ffmpeg', ['-nostdin', '-v', 'error', ...input, ...output], { timeout: 60_000 });
}
