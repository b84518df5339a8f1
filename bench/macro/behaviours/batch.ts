/** Runs cases side by side at one gateway, beside a camera that nothing happens to. */

import { setTimeout as delay } from 'node:timers/promises';
import type { TestGateway, TestShare } from '../../../test/support/gateway.ts';
import { until } from '../../../test/support/until.ts';
import { type Behaviour, type BehaviourCamera, readingConfig } from './behaviour.ts';
import { type Evidence, judge } from './judgement.ts';
import { Watcher } from './watcher.ts';

/** What is the same for all batches: the gateway's settings and the camera that nothing happens to. */
export interface Stage {
  readonly gateway: TestGateway;
  readonly config: Readonly<Record<string, unknown>>;
  readonly steadyUrl: string;
}

export interface Verdict {
  readonly behaviour: Behaviour;
  readonly deviations: readonly string[];
}

export interface BatchResult {
  readonly verdicts: readonly Verdict[];
  readonly steady: Verdict;
}

const STEADY_NAME = 'Steady';
const POLL_MS = 100;
const DECODERS = 2;
/** The steady camera is watched before the others come. */
const LEAD_MS = 1_000;

/** The case that the steady camera is, in every batch. */
export type SteadyCase = Pick<Behaviour, 'expectation'> & Behaviour;

export async function runBatch(
  stage: Stage,
  behaviours: readonly Behaviour[],
  steady: SteadyCase,
): Promise<BatchResult> {
  const { gateway } = stage;
  const cameras = await Promise.all(behaviours.map((behaviour) => behaviour.start()));
  try {
    await configure(stage, behaviours, cameras);
    const steadyShare = await gateway.share(STEADY_NAME);
    const steadyCase = new RunningCase(gateway, steady, steadyShare);
    await until('the steady camera', () => steadyCase.watcher.firstAtMs !== null);
    await delay(LEAD_MS);
    const running = await Promise.all(
      behaviours.map(
        async (behaviour) => new RunningCase(gateway, behaviour, await gateway.share(nameOf(behaviour))),
      ),
    );
    const evidence = await Promise.all(running.map((each) => each.evidence()));
    const steadyEvidence = await steadyCase.end();
    const queue = [steadyEvidence, ...evidence].map((each, index) => ({
      behaviour: index === 0 ? steady : behaviours[index - 1]!,
      evidence: each,
    }));
    const [first, ...verdicts] = await judgeAll(queue);
    return { verdicts, steady: first! };
  } finally {
    await Promise.all(cameras.map((camera) => camera.close()));
  }
}

function nameOf({ group, name, reading }: Behaviour): string {
  return `${group}: ${name} (${reading})`;
}

/** Puts the batch's cameras in place of those before, and waits until the API knows them. */
async function configure(
  { gateway, config, steadyUrl }: Stage,
  behaviours: readonly Behaviour[],
  cameras: readonly BehaviourCamera[],
): Promise<void> {
  const listed = behaviours.map((behaviour, index) => ({
    name: nameOf(behaviour),
    rtsp: cameras[index]!.url,
    ...readingConfig(behaviour.reading),
    ...behaviour.config,
  }));
  await gateway.configure({ ...config, cameras: [{ name: STEADY_NAME, rtsp: steadyUrl }, ...listed] });
  gateway.child.process.kill('SIGHUP');
  await until('the cameras of the batch', async () => {
    const { cameraStates = [] } = await gateway.call('camera/getMinimalCameraStateList');
    const names = new Set((cameraStates as { name: string }[]).map(({ name }) => name));
    return listed.every(({ name }) => names.has(name));
  });
}

/** One share that is watched, from the moment it is made. */
class RunningCase {
  readonly watcher: Watcher;
  readonly #gateway: TestGateway;
  readonly #behaviour: Behaviour;
  readonly #share: TestShare;
  readonly #openedMs = performance.now();

  constructor(gateway: TestGateway, behaviour: Behaviour, share: TestShare) {
    this.#gateway = gateway;
    this.#behaviour = behaviour;
    this.#share = share;
    this.watcher = new Watcher(share.m3u8Url);
  }

  /** Watches for as long as the table says, and ends. */
  async evidence(): Promise<Evidence> {
    const { expectation, watchSec } = this.#behaviour;
    const startSec = expectation.kind === 'refused' ? expectation.withinSec : expectation.startWithinSec;
    const isRefusal = expectation.kind === 'refused';
    const deadlineMs = this.#openedMs + startSec * 1_000;
    while (this.watcher.firstAtMs === null && performance.now() < deadlineMs) {
      await delay(POLL_MS);
      if (isRefusal && (await this.#state()).status === 'RED') break;
    }
    if (this.watcher.firstAtMs !== null) await delay(watchSec * 1_000);
    return this.end();
  }

  async end(): Promise<Evidence> {
    const state = await this.#state();
    const watched = await this.watcher.finish();
    await this.#gateway.revoke(this.#share);
    return { watched, openedMs: this.#openedMs, ...state };
  }

  async #state(): Promise<{ status: string; code: string | null }> {
    const { cameraStates = [] } = await this.#gateway.call('camera/getMinimalCameraStateList');
    const states = cameraStates as {
      uuid: string;
      connectionStatus: string;
      connectionDetail: { code: string };
    }[];
    const state = states.find(({ uuid }) => uuid === this.#share.cameraUuid);
    return { status: state?.connectionStatus ?? 'unknown', code: state?.connectionDetail?.code ?? null };
  }
}

async function judgeAll(
  queue: readonly { readonly behaviour: Behaviour; readonly evidence: Evidence }[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < queue.length) {
      const index = next++;
      const { behaviour, evidence } = queue[index]!;
      const deviations = await judge(behaviour.expectation, evidence);
      verdicts[index] = { behaviour, deviations };
    }
  };
  await Promise.all(Array.from({ length: DECODERS }, work));
  return verdicts;
}
