/** Service levels: what viewers see, measured. */

import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  double,
  flag,
  int32,
  int64,
  listOf,
  namedType,
  oneOf,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import type { Attainment } from '../../service-levels/attainment.ts';
import { GOAL_NAMES } from '../../service-levels/goals.ts';
import { MAX_PROBED_SHARES } from '../../service-levels/level-books.ts';
import {
  type Figures,
  LEVEL_COLUMNS,
  type MeasuredLevels,
  PROBE_STATES,
  type ServiceLevelState,
  type ShareLevels,
} from '../../service-levels/level-view.ts';
import { HTTP_PROTOCOLS } from '../../service-levels/probe-protocol.ts';
import type { ProbeRunRecord } from '../../service-levels/probe-schedule.ts';
import { COUNTER_COLUMNS } from '../types/counter-columns.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_SHARE_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './console-types.ts';

const figure = (description: string) => Type.Optional(int64(description, 0));
const amount = (description: string) => double(description, 0);

const FIGURES = namedType('ServiceFigures', {
  measurements: int64('Runs of the synthetic viewer, or reports of viewers.', 0),
  firstPictures: int64('How often a first picture was due.', 0),
  missingPictures: int64('How many of them never came.', 0),
  firstPictureP50Ms: figure(
    'From asking for the page to the first picture: the median. More than 25,000 reads as that. Absent: nothing was measured.',
  ),
  firstPictureP95Ms: figure('The 95th percentile.'),
  firstPictureP99Ms: figure('The 99th percentile.'),
  delayP50Ms: figure('How far pictures were behind live: the median. More than 60,000 reads as that.'),
  delayP95Ms: figure('The 95th percentile.'),
  delayP99Ms: figure('The 99th percentile.'),
  playedSec: amount('Seconds of playback.'),
  stalledSec: amount('Seconds for which the picture stood still.'),
  stalls: int64('How often it stood still.', 0),
  requests: int64('Requests, including failed ones.', 0),
  failedRequests: int64('Requests that failed.', 0),
  errors: listOf(
    namedType('ServiceError', {
      reason: text('Why: as in the metric `sluice_service_request_errors_total`.'),
      count: int64('How often.', 1),
    }),
    'Failed requests by reason.',
  ),
});

const ATTAINMENT = namedType('ServiceGoal', {
  goal: oneOf(GOAL_NAMES, 'Which goal.'),
  targetPercent: amount('How much has to be good.'),
  attainedPercent: Type.Optional(
    amount('How much was good in the last 24 hours. Absent: nothing was measured.'),
  ),
  budgetLeftPercent: Type.Optional(
    double(
      'How much of what may be bad is left: 100 means that nothing was bad, 0 that it is used up, below 0 that the goal was missed.',
    ),
  ),
});

const MEASURED = namedType('MeasuredServiceLevels', {
  hour: FIGURES,
  day: FIGURES,
  goals: listOf(ATTAINMENT, 'What was attained in the last 24 hours.'),
});

const RUN = namedType('ServiceProbeRun', {
  startedAtMs: int64('Milliseconds since 1970.', 0),
  outcome: oneOf(
    ['played', 'refused', 'camera-offline', 'sound-only', 'failed'],
    'How it ended. A run that got pictures and lost them has the end, and what it measured until then.',
  ),
  reason: Type.Optional(
    text(
      'Why it did not play to its end: as viewers are told, what is wrong with the certificate (`certificate-expired`, ' +
        '`certificate-not-yet-valid`, `certificate-name`, `certificate-untrusted`), or why its last request failed, as in the ' +
        'metric `sluice_service_request_errors_total`.',
    ),
  ),
  protocol: Type.Optional(
    oneOf(HTTP_PROTOCOLS, 'Of the last response, as ALPN names it. Absent: no response came.'),
  ),
  isCold: flag('The camera was closed when the run began, so that the first picture had to wait for it.'),
  firstPictureMs: figure('Absent: none came.'),
  playedSec: amount('Seconds of playback.'),
  stalledSec: amount('Seconds for which the picture stood still.'),
  stalls: int64('How often it stood still.', 0),
  requests: int64('Requests, including failed ones.', 0),
  failedRequests: int64('Requests that failed.', 0),
});

const SHARE = namedType('ShareServiceLevels', {
  sharedLiveVideoStreamUuid: ruuid('The share.'),
  name: text('Its name; when it was chosen, if it is gone.'),
  cameraUuid: Type.Optional(ruuid('Its camera. Absent: the share is gone.')),
  isProbed: flag('Whether the synthetic viewer plays it.'),
  state: Type.Optional(
    oneOf(
      PROBE_STATES,
      'Of a share that the synthetic viewer plays: `waiting` for its first run; `measured`; `failing`, because no picture came; ' +
        '`camera-offline`; `sound-only`; `hidden` by its schedule; `expired`; `revoked`, which is deleted; `refused`.',
    ),
  ),
  reason: Type.Optional(text('Why: as viewers are told now, or of the last run.')),
  isRunning: flag('Whether the synthetic viewer plays it now.'),
  runs: listOf(RUN, 'Its last runs, newest first.'),
  probe: Type.Optional(MEASURED),
  viewers: Type.Optional(MEASURED),
});

const SERVICE_LEVELS_RESPONSE = {
  everyMs: int64('From the beginning of a run to that of the next.', 0),
  runMs: int64('How long a run plays.', 0),
  through: oneOf(['listener', 'public'], 'Where the synthetic viewer plays.'),
  hasViewerReports: flag('Whether viewer pages report how their own playback goes.'),
  firstPictureWithinMs: int64('What the goal calls a good first picture.', 0),
  delayWithinMs: int64('What the goal calls a good delay.', 0),
  processState: oneOf(
    ['off', 'starting', 'running', 'waiting'],
    'The process of the synthetic viewer: `off` if no share is chosen, `waiting` if it ended and is started again soon.',
  ),
  processStarts: int64('Its starts; more than one means that it failed.', 0),
  processId: Type.Optional(int32('Of the operating system.', 0)),
  probe: MEASURED,
  viewers: MEASURED,
  shares: listOf(SHARE, 'Shares of the organization that are played, or whose viewers report.'),
};

type LevelsResponse = Static<ReturnType<typeof Type.Object<typeof SERVICE_LEVELS_RESPONSE>>>;

function serviceLevelsResponse(state: ServiceLevelState): LevelsResponse {
  const { plan, through, hasViewerReports, goals, process, overall, shares } = state;
  return {
    everyMs: plan.everyMs,
    runMs: plan.playMs,
    through,
    hasViewerReports,
    firstPictureWithinMs: goals.firstPictureWithinMs,
    delayWithinMs: goals.delayWithinMs,
    processState: process.state,
    processStarts: process.starts,
    ...known('processId', process.pid),
    probe: measuredResponse(overall.probe),
    viewers: measuredResponse(overall.viewers),
    shares: shares.map(shareResponse),
  };
}

function shareResponse({ shareUuid, name, cameraUuid, probe, measured }: ShareLevels): Static<typeof SHARE> {
  return {
    sharedLiveVideoStreamUuid: shareUuid,
    name,
    ...known('cameraUuid', cameraUuid),
    isProbed: probe !== null,
    ...known('state', probe?.state ?? null),
    ...known('reason', probe?.reason ?? null),
    isRunning: probe?.isRunning ?? false,
    runs: probe?.runs.map(runResponse) ?? [],
    ...(measured.probe === null ? {} : { probe: measuredResponse(measured.probe) }),
    ...(measured.viewers === null ? {} : { viewers: measuredResponse(measured.viewers) }),
  };
}

function runResponse(run: ProbeRunRecord): Static<typeof RUN> {
  const { startedAtEpochMs, outcome, reason, protocol, isCold, firstPictureMs, stalls, requests, errors } =
    run;
  return {
    startedAtMs: startedAtEpochMs,
    outcome,
    isCold,
    stalls,
    requests,
    ...known('reason', reason),
    ...known('protocol', protocol),
    ...known('firstPictureMs', firstPictureMs === null ? null : Math.round(firstPictureMs)),
    playedSec: run.playedMs / 1_000,
    stalledSec: run.stalledMs / 1_000,
    failedRequests: Object.values(errors).reduce((sum, count) => sum + count, 0),
  };
}

function measuredResponse({ hour, day, goals }: MeasuredLevels): Static<typeof MEASURED> {
  return { hour: figuresResponse(hour), day: figuresResponse(day), goals: goals.map(attainmentResponse) };
}

function figuresResponse(figures: Figures): Static<typeof FIGURES> {
  return withoutNulls({ ...figures, errors: [...figures.errors] }) as Static<typeof FIGURES>;
}

function attainmentResponse(attainment: Attainment): Static<typeof ATTAINMENT> {
  return withoutNulls(attainment) as Static<typeof ATTAINMENT>;
}

function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function known<const Name extends string, Value>(
  name: Name,
  value: Value | null,
): { readonly [K in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [K in Name]?: Value };
}

const NO_FIGURES: Static<typeof FIGURES> = {
  measurements: 0,
  firstPictures: 0,
  missingPictures: 0,
  playedSec: 0,
  stalledSec: 0,
  stalls: 0,
  requests: 0,
  failedRequests: 0,
  errors: [],
};

const NOTHING_MEASURED_EXAMPLE: Static<typeof MEASURED> = {
  hour: NO_FIGURES,
  day: NO_FIGURES,
  goals: [{ goal: 'firstPicture', targetPercent: 99 }],
};

const MEASURED_EXAMPLE: Static<typeof MEASURED> = {
  hour: NO_FIGURES,
  day: {
    measurements: 1,
    firstPictures: 1,
    missingPictures: 0,
    playedSec: 30,
    stalledSec: 0,
    stalls: 0,
    firstPictureP50Ms: 420,
    firstPictureP95Ms: 420,
    firstPictureP99Ms: 420,
    delayP50Ms: 1_250,
    delayP95Ms: 1_400,
    delayP99Ms: 1_450,
    requests: 181,
    failedRequests: 0,
    errors: [],
  },
  goals: [{ goal: 'firstPicture', targetPercent: 99, attainedPercent: 100, budgetLeftPercent: 100 }],
};

const SHARE_EXAMPLE: Static<typeof SHARE> = {
  sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID,
  name: 'Front desk',
  cameraUuid: EXAMPLE_CAMERA_UUID,
  isProbed: true,
  state: 'measured',
  isRunning: false,
  runs: [
    {
      startedAtMs: EXAMPLE_TIME_MS,
      outcome: 'played',
      protocol: 'h2',
      isCold: false,
      firstPictureMs: 420,
      playedSec: 30,
      stalledSec: 0,
      stalls: 0,
      requests: 181,
      failedRequests: 0,
    },
  ],
  probe: MEASURED_EXAMPLE,
};

const getServiceLevels = defineEndpoint({
  path: '/api/console/getServiceLevels',
  summary: 'Reads what viewers see: time to first picture, delay, stalls and errors.',
  description:
    `${OPERATORS_ONLY} \`probe\` is what the synthetic viewer measured, \`viewers\` what viewer pages reported about themselves, ` +
    'which they do only if `serviceLevels.viewerReports` is on: at the top of all shares of the gateway, in `shares` of each of ' +
    'the organization’s. Figures are of the last hour and of the last 24 hours, in slots of five minutes, and begin with the start ' +
    'of the gateway. Percentiles are estimated from the buckets of the metrics.',
  isExtension: true,
  request: Type.Object({}),
  response: SERVICE_LEVELS_RESPONSE,
  example: {
    request: {},
    response: {
      everyMs: 300_000,
      runMs: 30_000,
      through: 'listener',
      hasViewerReports: false,
      firstPictureWithinMs: 1_500,
      delayWithinMs: 3_000,
      processState: 'running',
      processStarts: 1,
      processId: 4_711,
      probe: NOTHING_MEASURED_EXAMPLE,
      viewers: NOTHING_MEASURED_EXAMPLE,
      shares: [SHARE_EXAMPLE],
    },
  },
  async handler({ caller, services }) {
    return serviceLevelsResponse(await services.system.serviceLevels.read(caller));
  },
});

const getServiceHistory = defineEndpoint({
  path: '/api/console/getServiceHistory',
  summary: 'Reads the service levels of the last 24 hours, every five minutes.',
  description:
    `${OPERATORS_ONLY} Of a share of the organization, or of all shares of the gateway: ` +
    `${LEVEL_COLUMNS.map((name) => `\`${name}\``).join(', ')}. All arrays are as long as \`timesMs\`; null means that nothing was ` +
    'measured at that time. The last five minutes are not over.',
  isExtension: true,
  request: Type.Object({
    sharedLiveVideoStreamUuid: Type.Optional(ruuid('A share; absent: all.')),
    source: Type.Optional(
      oneOf(
        ['probe', 'viewers'],
        'Who measured: the synthetic viewer or viewers themselves. Default `probe`.',
      ),
    ),
  }),
  response: {
    intervalMs: int32('Time between two values, in milliseconds.'),
    timesMs: listOf(int64('Milliseconds since 1970.'), 'When each five minutes began, oldest first.'),
    counters: COUNTER_COLUMNS,
  },
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID },
    response: {
      intervalMs: 300_000,
      timesMs: [EXAMPLE_TIME_MS, EXAMPLE_TIME_MS + 300_000],
      counters: { firstPictureP95Ms: [820, null], measurements: [1, 0] },
    },
  },
  async handler({ caller, services }, { sharedLiveVideoStreamUuid = null, source = 'probe' }) {
    const history = await services.system.serviceLevels.history(caller, sharedLiveVideoStreamUuid, source);
    return {
      intervalMs: history.slotMs,
      timesMs: [...history.timesMs],
      counters: Object.fromEntries(
        Object.entries(history.columns).map(([name, values]) => [
          name,
          values.map((value) => (Number.isNaN(value) ? null : value)),
        ]),
      ),
    };
  },
});

const updateServiceProbe = defineEndpoint({
  path: '/api/console/updateServiceProbe',
  summary: 'Turns the synthetic viewer on or off for a share.',
  description:
    `${OPERATORS_ONLY} The synthetic viewer plays at most ${MAX_PROBED_SHARES} shares of the gateway, each as often as ` +
    '`serviceLevels.every` says. It opens the camera like a viewer, and is no viewer: it is not counted, takes no place under a limit, ' +
    'and is not in the audit trail. Shares with a password or a sign-in can be chosen, too. Turning it off forgets what it ' +
    'measured of the share.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    sharedLiveVideoStreamUuid: ruuid('The share. One that was deleted can be turned off.'),
    isProbed: flag('Whether the synthetic viewer plays it.'),
  }),
  response: {},
  example: {
    request: { sharedLiveVideoStreamUuid: EXAMPLE_SHARE_UUID, isProbed: true },
    response: {},
  },
  async handler({ caller, services }, { sharedLiveVideoStreamUuid, isProbed }) {
    await services.system.serviceLevels.choose(caller, sharedLiveVideoStreamUuid, isProbed);
    return {};
  },
});

export const SERVICE_LEVEL_ENDPOINTS: readonly Endpoint[] = [
  getServiceLevels,
  getServiceHistory,
  updateServiceProbe,
];
