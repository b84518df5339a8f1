/**
 * What the console's pictures show is the same every day: the gateway's answers have the times, addresses, figures and
 * camera pictures of one moment. Everything else is what the gateway says.
 */

import type { Page } from 'playwright-core';
import sharp from 'sharp';
import type { Json, TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

/** A Wednesday morning in Berlin, where the browser is. */
export const SCENE_MS = Date.UTC(2026, 3, 15, 8, 20);
/** Times of the minutes that the pictures take are those of the scene's first moment. */
const STEP_MS = 600_000;
/** What a player tells the page around it. */
const TOLD =
  "setInterval(() => parent.postMessage({ sluice: 'steered', state: { kind: 'live', epochMs: null }, sound: 'muted' }, '*'), 100)";
/** Since what the gateway says has happened now. */
const LATER_MS = 4 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const UP_MS = 8 * 86_400_000;
/** When the gateway says that it will do something soon. */
const SOON_MS = 25_000;
/** What is this far from now is a time. */
const RANGE_MS = 400 * 86_400_000;
/** What tests call things, by field: as people at a site call them. */
const OF_A_SITE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  creatorName: { bootstrap: 'Installation' },
  principalName: { bootstrap: 'Installation' },
  displayText: { bootstrap: 'Installation' },
  userAgent: { node: 'curl/8.14.1' },
  sourceIp: { '127.0.0.1': '192.0.2.31' },
};
const FIXED_TOKEN = 'Yb3xQ0sTq2mVn8LdKcRw1A';
const SKIES = ['#7da7cc', '#c9b48f', '#8fb0a6', '#b59ab0'];

/** Before the page is opened, on a gateway whose clock was at `SCENE_MS` when it started. */
export async function arrangeScene(page: Page, gateway: TestGateway): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setScrollbarsHidden', { hidden: true });
  await page.clock.setFixedTime(SCENE_MS + LATER_MS);
  const pictures = await Promise.all(SKIES.map(drawCamera));
  const known = new Map<string, number>();
  const pictureOf = (key: string): Buffer => {
    if (!known.has(key)) known.set(key, known.size);
    return pictures[known.get(key)! % pictures.length]!;
  };
  const fixed = (value: unknown, field: string): unknown => {
    if (typeof value === 'number') return fixedNumber(value, field);
    if (value === 'connecting' && field === 'state') return 'live';
    if (typeof value === 'string') return OF_A_SITE[field]?.[value] ?? fixedText(value, gateway);
    if (Array.isArray(value)) return value.map((each) => fixed(each, field));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, fixed(each, name)]);
    // The scene has a frame of each moment.
    return {
      ...Object.fromEntries(entries),
      ...('policyAlertTriggers' in value ? { thumbnailLocation: {} } : {}),
    };
  };
  await page.route(`${gateway.apiUrl}/api/**`, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Json;
    const { imageData } = answer;
    const request = (): Json => route.request().postDataJSON() as Json;
    const shown = fixed(answer, '') as Json;
    const operation = route.request().url().split('/').at(-1)!;
    if (operation === 'getCounters') Object.assign(shown, quietHour(answer));
    if (operation === 'getSystemState') Object.assign(shown.state, machine(shown.state));
    if (operation === 'getRecordedSpans') Object.assign(shown, recordedMorning(shown));
    if (operation === 'getExactFrameData') {
      const json = { error: false, frameData: pictureOf(String(request().cameraUuid)).toString('base64') };
      return route.fulfill({ json });
    }
    // The frame of a watched wall is loaded from there, and no page shows it.
    if (operation === 'getSession' && /\/watch$/.test(new URL(page.url()).pathname)) {
      Object.assign(shown, { publicMediaUrl: answer.publicMediaUrl });
    }
    const image = () => pictureOf(String(request().cameraUuid)).toString('base64');
    if (typeof imageData === 'string')
      Object.assign(shown, { imageData: image(), contentType: 'image/jpeg' });
    // The pages count by the gateway's clock, which this header tells.
    const headers = { ...response.headers(), date: new Date(SCENE_MS + LATER_MS).toUTCString() };
    return route.fulfill({ response, headers, json: shown });
  });
  // The player is the viewer page's own, which has tests of its own.
  await page.route(`${gateway.mediaUrl}/preview**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<body style="margin:0"><img style="width:100%;height:100vh;object-fit:cover" alt="" src="data:image/jpeg;base64,${pictures[0]!.toString('base64')}"><script>${TOLD}</script>`,
    }),
  );
  await page.route(`${gateway.mediaUrl}/preview/wall**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<body style="margin:0;background:#07090c"><script>${wallScript(pictures)}</script>`,
    }),
  );
}

/** Draws the tiles that the console places, and reports that those of cameras that the gateway reaches are live. */
function wallScript(pictures: readonly Buffer[]): string {
  const sources = pictures.map((picture) => `data:image/jpeg;base64,${picture.toString('base64')}`);
  return `const sources = ${JSON.stringify(sources)};
    addEventListener('message', ({ data: { tiles } }) => {
      document.body.replaceChildren(...tiles.map(({ name, number, offlineSinceMs, x, y, width, height }, i) => {
        const tile = document.createElement('div');
        tile.style.cssText = 'position:absolute;box-sizing:border-box;border:2px solid #07090c;background:50% / cover;color:#fff;font:600 14px sans-serif;padding:8px;text-shadow:0 1px 3px #000';
        for (const [side, value] of Object.entries({ left: x, top: y, width, height })) tile.style[side] = value * 100 + '%';
        const picture = 'url(' + sources[i % sources.length] + ')';
        tile.style.backgroundImage = offlineSinceMs === null ? picture : 'linear-gradient(#000b, #000b), ' + picture;
        const since = new Date(offlineSinceMs).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
        tile.textContent = (number > 0 ? number + '  ' : '') + name + (offlineSinceMs === null ? '' : ': offline since ' + since);
        return tile;
      }));
      const reports = tiles.map(({ id, grant, offlineSinceMs }) => {
        return { id, grant, state: offlineSinceMs === null ? 'live' : 'lost', isRefused: false };
      });
      const tell = () => parent.postMessage({ sluice: 'wall', tiles: reports, silentMs: null }, '*');
      clearInterval(globalThis.told);
      globalThis.told = setInterval(tell, 200);
      tell();
    });`;
}

/** All that it asked for is there: the pictures too, and the plots are drawn. */
export async function untilStill(page: Page): Promise<void> {
  await until('pictures', () =>
    page.evaluate(
      () =>
        !/Taking a picture|Waiting for video/.test(document.body.textContent!) &&
        [...document.images].every(({ complete }) => complete) &&
        // Those of events in sight are requested when the list rests.
        [...document.querySelectorAll('.event-frame')].every(
          ({ childElementCount }) => childElementCount > 0,
        ) &&
        // The menu of someone who is signed in counts the alerts, on every page.
        (document.querySelector('.menu') === null || document.querySelector('.menu-badge') !== null) &&
        // Each tile of a watched wall.
        [...document.querySelectorAll('.watch-tile')].every(({ ariaLabel }) =>
          /\. (?:Live|Offline since .*)\. /.test(ariaLabel!),
        ),
    ),
  );
  await page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

function fixedNumber(value: number, field: string): number {
  if (/^(?:retryAtMs|nextRetryMs)$/.test(field)) return SCENE_MS + LATER_MS + SOON_MS;
  const asMs = /(?:Secs?|expirationTime)$/.test(field) ? value * 1_000 : value;
  if (Math.abs(asMs - SCENE_MS) < RANGE_MS) return sceneTime(asMs) / (asMs === value ? 1 : 1_000);
  const steady = STEADY[field];
  return steady ?? value;
}

/** What a machine measures: as an ordinary one would. */
const STEADY: Readonly<Record<string, number>> = {
  bitsPerSec: 2_100_000,
  frameRate: 25,
  droppedFrames: 0,
  clockDriftPpm: 2,
  keyFrameDistanceSec: 1,
  uptimeSec: 691_200,
  pid: 412,
  latencyMs: 2,
  rssBytes: 241_172_480,
  heapUsedBytes: 96_468_992,
};

function fixedText(value: string, { apiUrl, mediaUrl }: TestGateway): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return new Date(sceneTime(Date.parse(value))).toISOString();
  // The policy of the page lets it be framed from there only.
  if (value.startsWith(`${mediaUrl}/preview`)) return value;
  const text = value
    // Sentences name the minute at which they were written.
    .replaceAll(/2026-04-15 10:2\d/g, '2026-04-15 10:24')
    .replaceAll('HeadlessChrome', 'Chrome')
    .replaceAll(/ada-\d+@example\.com/g, 'ada@harbor.example')
    .replaceAll(mediaUrl, 'https://watch.harbor.example')
    .replaceAll(apiUrl, 'https://cameras.harbor.example')
    .replaceAll(new URL(mediaUrl).host, '192.0.2.8:8081')
    .replaceAll(new URL(apiUrl).host, '192.0.2.8:8080')
    .replaceAll(/\/tmp\/sluice-test-\w+/g, '/var/lib/sluice');
  return /^https?:/.test(text) ? text.replaceAll(/[\w-]{22,}/g, FIXED_TOKEN) : text;
}

function sceneTime(ms: number): number {
  return SCENE_MS + Math.floor((ms - SCENE_MS + STEP_MS / 2) / STEP_MS) * STEP_MS;
}

/** Counters of an hour without trouble: as many values as there are, around what is ordinary for each. */
function quietHour({ timesMs, counters }: Json): Json {
  const minutes = Array.from({ length: 60 }, (_, i) => i);
  const levels: Readonly<Record<string, number>> = {
    viewers: 6,
    sentBytesPerSec: 1.6e6,
    cpuPercent: 9,
    eventLoopDelayMs: 12,
  };
  const wave = (name: string, minute: number) => {
    const level = levels[name] ?? 10;
    const value = level * (1 + 0.3 * Math.sin(minute / 7 + name.length) + 0.1 * Math.sin(minute * 1.7));
    return level < 20 ? Math.round(value) : value;
  };
  if (!Array.isArray(timesMs)) return {};
  return {
    timesMs: minutes.map((minute) => SCENE_MS + LATER_MS - (60 - minute) * 60_000),
    counters: Object.fromEntries(
      Object.keys(counters).map((name) => [name, minutes.map((minute) => wave(name, minute))]),
    ),
  };
}

/** Cameras that are recorded now were so all day, but for a while in which the gateway was updated. */
function recordedMorning({ cameras }: Json): Json {
  const day = [
    { fromMs: SCENE_MS - 26 * HOUR_MS, toMs: SCENE_MS - 0.75 * HOUR_MS },
    { fromMs: SCENE_MS - 0.7 * HOUR_MS, toMs: SCENE_MS + LATER_MS },
  ];
  const spansOf = (spans: readonly Json[]) => (spans.length === 0 ? [] : day);
  return { cameras: cameras.map((each: Json) => ({ ...each, spans: spansOf(each.spans) })) };
}

/** The machine that the scene runs on. */
function machine({ memory, disks, database, recorder }: Json): Json {
  return {
    hostName: 'harbor-nvr',
    nodeVersion: 'v26.10.0',
    platform: 'linux x64',
    openStreams: 4,
    viewers: 6,
    startedAt: new Date(SCENE_MS - UP_MS).toISOString(),
    memory: memory.map(({ part }: Json, i: number) => ({ part, bytes: (120 - 20 * i) * 1_048_576 })),
    disks: disks.map((disk: Json) => ({ ...disk, freeBytes: 812e9, totalBytes: 2e12 })),
    database: { ...database, sizeBytes: 8 * 1_048_576 },
    recorder: {
      ...recorder,
      use: { recordedBytes: 1_180e9, heldBytes: 0 },
      forecast: {
        bytesPerDay: 173e9,
        keptMs: 11.4 * DAY_MS,
        longestKeptMs: 11.4 * DAY_MS,
        decidedBy: 'disk',
        diskFullInMs: 4.6 * DAY_MS,
      },
    },
  };
}

/** A quay with containers under a sky: a picture that belongs to no one. */
function drawCamera(sky: string): Promise<Buffer> {
  const seed = Number.parseInt(sky.slice(1), 16);
  const boxes = Array.from({ length: 9 }, (_, i) => {
    const hue = (seed + i * 67) % 360;
    const height = 34 + ((seed >> i) % 3) * 34;
    return `<rect x="${i * 54 + 6}" y="${196 - height}" width="50" height="${height}" fill="hsl(${hue} 32% 42%)"/><path d="M${i * 54 + 6} ${196 - (height % 35)}h50" stroke="#0003" stroke-width="2"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="270">
    <defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="${sky}"/><stop offset="1" stop-color="#e9e4da"/></linearGradient>
    <linearGradient id="g" x2="0" y2="1"><stop stop-color="#7d8289"/><stop offset="1" stop-color="#4b5058"/></linearGradient></defs>
    <rect width="480" height="196" fill="url(#s)"/><path d="M60 196V40h8v156zM40 62h150v6H40z" fill="#4a4f57"/>
    ${boxes.join('')}<rect y="196" width="480" height="74" fill="url(#g)"/>
    <path d="M0 232h480" stroke="#e8c95a" stroke-width="3" stroke-dasharray="26 18"/></svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 82 }).toBuffer();
}
