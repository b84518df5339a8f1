/** One gateway on which cases start and end, and next to them a steady camera to which nothing happens. */

import { setTimeout as delay } from 'node:timers/promises';
import { TestGateway, type TestShare } from '../../../test/support/gateway.ts';
import { until } from '../../../test/support/until.ts';
import { type Behaviour, type BehaviourCamera, readingConfig } from './behaviour.ts';
import { type Evidence, type Judgement, judge } from './judgement.ts';
import { type Watched, Watcher } from './watcher.ts';

export interface Verdict {
  readonly behaviour: Behaviour;
  readonly deviations: readonly string[];
}

/** Verdict on the steady camera. */
export interface SteadyVerdict extends Judgement {
  readonly watched: Watched;
}

type ListedCamera = Readonly<Record<string, unknown>> & { readonly name: string };

const STEADY_NAME = 'Steady';
const POLL_MS = 100;
const MAX_DECODERS = 2;

export class Stage {
  readonly gateway: TestGateway;
  readonly #config: Readonly<Record<string, unknown>>;
  readonly #listed = new Map<string, ListedCamera>();
  readonly #steady: Behaviour;
  readonly #steadyCamera: BehaviourCamera;
  #steadyCase: RunningCase | null = null;
  /** Reloads run one after the other. */
  #reloading: Promise<void> = Promise.resolve();
  #decoders = 0;
  #started = 0;

  private constructor(
    gateway: TestGateway,
    config: Readonly<Record<string, unknown>>,
    steady: Behaviour,
    camera: BehaviourCamera,
  ) {
    this.gateway = gateway;
    this.#config = config;
    this.#steady = steady;
    this.#steadyCamera = camera;
  }

  static async start(config: Readonly<Record<string, unknown>>, steady: Behaviour): Promise<Stage> {
    const camera = await steady.start();
    const cameras = [{ name: STEADY_NAME, rtsp: camera.url }];
    const gateway = await TestGateway.start({ ...config, cameras });
    const stage = new Stage(gateway, config, steady, camera);
    stage.#listed.set(STEADY_NAME, { ...cameras[0]! });
    const share = await until('the API', () => gateway.share(STEADY_NAME));
    stage.#steadyCase = new RunningCase(gateway, steady, share);
    await until('the steady camera', () => stage.#steadyCase!.watcher.firstAtMs !== null);
    return stage;
  }

  /** Runs from the camera's start to the verdict. */
  async run(behaviour: Behaviour): Promise<Verdict> {
    const camera = await behaviour.start();
    // A new camera each time: the previous one's window would precede the new video.
    const name = `${titleOf(behaviour)} ${++this.#started}`;
    try {
      this.#listed.set(name, {
        name,
        rtsp: camera.url,
        ...readingConfig(behaviour.reading),
        ...behaviour.config,
      });
      await this.#reload();
      const running = new RunningCase(this.gateway, behaviour, await this.gateway.share(name));
      const evidence = await running.evidence();
      const { deviations } = await this.#judge(behaviour, evidence);
      return { behaviour, deviations };
    } catch (error) {
      return { behaviour, deviations: [`the case failed: ${String(error)}`] };
    } finally {
      this.#listed.delete(name);
      await camera.close();
    }
  }

  /** The end of the steady camera's view. */
  async judgeSteady(): Promise<SteadyVerdict> {
    const evidence = await this.#steadyCase!.end();
    return { watched: evidence.watched, ...(await this.#judge(this.#steady, evidence)) };
  }

  async dispose(): Promise<void> {
    await this.gateway.dispose();
    await this.#steadyCamera.close();
  }

  /** The gateway knows all cameras that are listed now. */
  #reload(): Promise<void> {
    this.#reloading = this.#reloading.then(async () => {
      const cameras = [...this.#listed.values()];
      await this.gateway.configure({ ...this.#config, cameras });
      this.gateway.child.process.kill('SIGHUP');
      await until('the cameras of the file', async () => {
        const { cameraStates = [] } = await this.gateway.call('camera/getMinimalCameraStateList');
        const names = new Set((cameraStates as { name: string }[]).map(({ name }) => name));
        return cameras.every(({ name }) => names.has(name));
      });
    });
    return this.#reloading;
  }

  async #judge(behaviour: Behaviour, evidence: Evidence): Promise<Judgement> {
    while (this.#decoders >= MAX_DECODERS) await delay(POLL_MS);
    this.#decoders += 1;
    try {
      return await judge(behaviour.expectation, evidence);
    } finally {
      this.#decoders -= 1;
    }
  }
}

/** Unique among all cases. */
export function titleOf({ group, name, reading }: Behaviour): string {
  return `${group}: ${name} (${reading})`;
}

/** One share that is watched from its creation on. */
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
    const isRefusal = expectation.kind === 'refused';
    const startSec = isRefusal ? expectation.withinSec : expectation.startWithinSec;
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
