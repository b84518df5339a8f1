/**
 * What the console's pictures show is the same every day: the gateway's answers have the times, addresses, figures and
 * camera pictures of one moment. Everything else is what the gateway says.
 */

import type { Page } from 'playwright-core';
import type { Json, TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { drawCameras } from './console-drawings.ts';
import { tell, VIEWERS } from './console-story.ts';

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
  userAgent: { node: 'curl/8.14.1' },
  sourceIp: { '127.0.0.1': '192.0.2.31' },
};
/** The key that tests call with; in a site's list of keys, it has its own name. */
const FIRST_KEY = 'Installation key';
/** More players than a page has. */
const MAX_PREVIEWED = 8;
const FIXED_TOKEN = 'Yb3xQ0sTq2mVn8LdKcRw1A';

/** Before the page is opened, on a gateway whose clock was at `SCENE_MS` when it started. */
export async function arrangeScene(page: Page, gateway: TestGateway): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setScrollbarsHidden', { hidden: true });
  await page.clock.setFixedTime(SCENE_MS + LATER_MS);
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  const offline = new Set<string>(
    cameraStates
      .filter(({ connectionDetail }: Json) => connectionDetail?.offlineSinceMs !== undefined)
      .map(({ uuid }: Json) => uuid),
  );
  const cameraNames = new Map<string, string>(cameraStates.map(({ uuid, name }: Json) => [uuid, name]));
  const [live, events] = await Promise.all([drawCameras(false), drawCameras(true)]);
  const first = live.values().next().value!;
  const pictureOf = (drawn: ReadonlyMap<string, Buffer>, cameraUuid: unknown): string =>
    (drawn.get(cameraNames.get(String(cameraUuid)) ?? '') ?? first).toString('base64');
  /** What a player shows, by the grant in its address. */
  const previewed = new Map<string, string>();
  const fixed = (value: unknown, field: string): unknown => {
    if (typeof value === 'number') return fixedNumber(value, field);
    if (typeof value === 'string') {
      if (value === FIRST_KEY && !/^(?:display)?name$/i.test(field)) return 'Ada Lovelace';
      return OF_A_SITE[field]?.[value] ?? fixedText(value, gateway);
    }
    if (Array.isArray(value)) return value.map((each) => fixed(each, field));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, fixed(each, name)]);
    // The scene has a frame of each moment.
    return {
      ...Object.fromEntries(entries),
      ...('policyAlertTriggers' in value ? { thumbnailLocation: {} } : {}),
      ...('state' in value && value.state === 'connecting' ? { state: connectedState(value) } : {}),
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
    if (operation === 'getRecordedSpans') Object.assign(shown, recordedMorning(shown, offline));
    if (operation === 'createPreviewGrant') {
      previewed.set(new URL(answer.pageUrl).hash.slice(1), pictureOf(live, request().cameraUuid));
      if (previewed.size > MAX_PREVIEWED) previewed.delete(previewed.keys().next().value!);
    }
    // Both were seen this morning.
    if (operation === 'getSnapshot' && answer.error) {
      const last = {
        imageData: pictureOf(live, request().cameraUuid),
        contentType: 'image/jpeg',
        live: false,
      };
      return route.fulfill({ json: { ...last, width: 640, height: 360, timestampMs: SCENE_MS } });
    }
    if (operation === 'getExactFrameData') {
      return route.fulfill({ json: { error: false, frameData: pictureOf(events, request().cameraUuid) } });
    }
    // The frame of a watched wall is loaded from there, and no page shows it.
    if (operation === 'getSession' && /\/watch$/.test(new URL(page.url()).pathname)) {
      Object.assign(shown, { publicMediaUrl: answer.publicMediaUrl });
    }
    if (typeof imageData === 'string') {
      Object.assign(shown, { imageData: pictureOf(live, request().cameraUuid), contentType: 'image/jpeg' });
    }
    if (typeof answer.snapshot?.imageData === 'string') {
      // A channel of a recorder that is being added.
      const drawn = [...events.values()];
      const channel = Number(/channel=(\d+)/.exec(JSON.stringify(request()))?.[1] ?? 1);
      shown.snapshot.imageData = drawn[channel % drawn.length]!.toString('base64');
    }
    tell(operation, request(), shown, SCENE_MS + LATER_MS);
    // The pages count by the gateway's clock, which this header tells.
    const headers = { ...response.headers(), date: new Date(SCENE_MS + LATER_MS).toUTCString() };
    return route.fulfill({ response, headers, json: shown });
  });
  // The player is the viewer page's own, which has tests of its own.
  await page.route(`${gateway.mediaUrl}/preview**`, (route) => {
    // The grant is in the fragment, which only the page itself knows.
    const show = `const shown = ${JSON.stringify([...previewed])}.find(([grant]) => location.hash.includes(grant));
      document.querySelector('img').src = 'data:image/jpeg;base64,' + (shown ?? ['', '${first.toString('base64')}'])[1];`;
    return route.fulfill({
      contentType: 'text/html',
      body: `<body style="margin:0"><img style="width:100%;height:100vh;object-fit:cover" alt=""><script>${show}${TOLD}</script>`,
    });
  });
  await page.route(`${gateway.mediaUrl}/preview/wall**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<body style="margin:0;background:#07090c"><script>${wallScript(live)}</script>`,
    }),
  );
}

/** Draws the tiles that the console places, and reports that those of cameras that the gateway reaches are live. */
function wallScript(pictures: ReadonlyMap<string, Buffer>): string {
  const sources = Object.fromEntries(
    [...pictures].map(([name, picture]) => [name, `data:image/jpeg;base64,${picture.toString('base64')}`]),
  );
  return `const sources = ${JSON.stringify(sources)};
    addEventListener('message', ({ data: { tiles } }) => {
      document.body.replaceChildren(...tiles.map(({ name, number, offlineSinceMs, x, y, width, height }) => {
        const tile = document.createElement('div');
        tile.style.cssText = 'position:absolute;box-sizing:border-box;border:2px solid #07090c;background:50% / cover;color:#fff;font:600 14px sans-serif;padding:8px;text-shadow:0 1px 3px #000';
        for (const [side, value] of Object.entries({ left: x, top: y, width, height })) tile.style[side] = value * 100 + '%';
        const picture = 'url(' + sources[name] + ')';
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

/** A camera that the gateway tries again is offline, as lists have it. */
function connectedState(value: object): string {
  return 'offlineSinceMs' in value ? 'offline' : 'live';
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
    viewers: VIEWERS,
    bytesInPerSec: 1.05e6,
    bytesOutPerSec: 1.6e6,
    recordedBytesPerSec: 1.05e6,
    cpuPercent: 9,
    eventLoopDelayP99Ms: 12,
    rssBytes: 241_172_480,
    playlistsPerSec: 4,
  };
  /** They do not come and go. */
  const constant: Readonly<Record<string, number>> = {
    camerasConfigured: 6,
    camerasStreaming: 4,
    camerasOffline: 2,
    workersRunning: 0,
    workersWaiting: 0,
  };
  const wave = (name: string, minute: number) => {
    const same = constant[name];
    if (same !== undefined) return same;
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

/** Cameras that stream were recorded all day, but for a while in which the gateway was updated. */
function recordedMorning({ cameras }: Json, offline: ReadonlySet<string>): Json {
  const day = [
    { fromMs: SCENE_MS - 26 * HOUR_MS, toMs: SCENE_MS - 0.75 * HOUR_MS },
    { fromMs: SCENE_MS - 0.7 * HOUR_MS, toMs: SCENE_MS + LATER_MS },
  ];
  const spansOf = (cameraUuid: string) => (offline.has(cameraUuid) ? [] : day);
  return { cameras: cameras.map((each: Json) => ({ ...each, spans: spansOf(each.cameraUuid) })) };
}

/** The machine that the scene runs on. */
function machine({ memory, disks, database, recorder }: Json): Json {
  return {
    hostName: 'harbor-nvr',
    nodeVersion: 'v26.10.0',
    platform: 'linux x64',
    openStreams: 4,
    viewers: VIEWERS,
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
