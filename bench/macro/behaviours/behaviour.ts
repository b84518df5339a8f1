/** One row of the table: a camera with a certain behavior, how the gateway reads it, and what viewers must get. */

export interface BehaviourCamera {
  /** With credentials if the gateway should have some. */
  readonly url: string;
  close(): Promise<void>;
}

/** How sluice.yaml declares the camera, in addition to its name and URL. */
export type Reading = 'tcp' | 'udp' | 'worker';

export interface Plays {
  readonly kind: 'plays';
  /** Limit from the share's creation to the first video. */
  readonly startWithinSec: number;
  /** Frames may be missing or repeated: packets were lost, or time jumped. */
  readonly mayLose: boolean;
  /** A decoder must report no error. */
  readonly isClean: boolean;
  /** Fraction of wall time. */
  readonly minPace: number;
  /** Discontinuities that are allowed. */
  readonly maxSeams: number;
  /** Audio that a listener hears; null: not checked. */
  readonly sound: 'heard' | 'silent' | 'absent' | null;
  /** False for video without the strip that shows the frame number. */
  readonly isNumbered: boolean;
}

export interface PlaysAgain {
  readonly kind: 'plays-again';
  readonly startWithinSec: number;
  /** Longest time without a new segment. */
  readonly withinSec: number;
}

export interface Refused {
  readonly kind: 'refused';
  /** The code in `connectionDetail`, one of these. */
  readonly codes: readonly string[];
  readonly withinSec: number;
}

export type Expectation = Plays | PlaysAgain | Refused;

export interface Behaviour {
  readonly group: string;
  readonly name: string;
  readonly reading: Reading;
  /** Fields of the camera in sluice.yaml that differ from what `reading` sets. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly expectation: Expectation;
  /** How long it is watched after its first video. */
  readonly watchSec: number;
  /** Whether an ffmpeg worker is involved: few of those run at a time. */
  readonly takesWorker: boolean;
  start(): Promise<BehaviourCamera>;
}

const DEFAULT_WATCH_SEC = 8;
const DEFAULT_START_SEC = 6;
const WORKER_START_SEC = 12;
const MIN_PACE = 0.9;

export type BehaviourOptions = Partial<Omit<Plays, 'kind'>> & {
  readonly watchSec?: number;
  readonly config?: Behaviour['config'];
  readonly takesWorker?: boolean;
};

type Identity = Pick<Behaviour, 'group' | 'name' | 'reading' | 'start'>;

export function plays(identity: Identity, options: BehaviourOptions = {}): Behaviour {
  const { watchSec = DEFAULT_WATCH_SEC, config = {}, takesWorker = false, ...expected } = options;
  const isWorker = identity.reading === 'worker' || takesWorker;
  const expectation: Plays = {
    kind: 'plays',
    startWithinSec: isWorker ? WORKER_START_SEC : DEFAULT_START_SEC,
    mayLose: false,
    isClean: true,
    minPace: MIN_PACE,
    maxSeams: 0,
    sound: null,
    isNumbered: true,
    ...expected,
  };
  return { ...identity, config, watchSec, takesWorker: isWorker, expectation };
}

export function playsAgain(
  identity: Identity,
  withinSec: number,
  options: Pick<BehaviourOptions, 'watchSec' | 'config' | 'takesWorker' | 'startWithinSec'> = {},
): Behaviour {
  const { watchSec = 16, config = {}, takesWorker = false } = options;
  const isWorker = identity.reading === 'worker' || takesWorker;
  const startWithinSec = options.startWithinSec ?? (isWorker ? WORKER_START_SEC : DEFAULT_START_SEC);
  const expectation: PlaysAgain = { kind: 'plays-again', startWithinSec, withinSec };
  return { ...identity, config, watchSec, takesWorker: isWorker, expectation };
}

export function refused(
  identity: Identity,
  codes: readonly string[],
  withinSec = 8,
  config: Behaviour['config'] = {},
): Behaviour {
  const expectation: Refused = { kind: 'refused', codes, withinSec };
  return { ...identity, config, watchSec: 0, takesWorker: identity.reading === 'worker', expectation };
}

/** The fields of sluice.yaml that make the gateway read a camera this way. */
export function readingConfig(reading: Reading): Readonly<Record<string, unknown>> {
  return reading === 'worker' ? { engine: 'ffmpeg' } : { engine: 'auto', transport: reading };
}
