/** The gateway's hub as the application wires it, with numbering kept in memory. */

import type { CmafPart } from '../../src/cmaf/part.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { keepNewSpaceSmall } from '../../src/core/new-space.ts';
import type { Ruuid } from '../../src/core/ruuid.ts';
import type { RecordingTap } from '../../src/recording/recording-tap.ts';
import { StreamHub } from '../../src/stream/hub.ts';
import type { RenditionName } from '../../src/stream/media/live-media.ts';
import type { Numbering, NumberingStore } from '../../src/stream/numbering/numbering.ts';
import {
  DEFAULT_PACKAGER_LIMITS,
  Packager,
  type PackagerLimits,
} from '../../src/stream/packaging/packager.ts';
import type { RenditionPackager } from '../../src/stream/packaging/packaging.ts';
import type { PathKey } from '../../src/stream/window/path-signer.ts';

export interface BenchHubOptions {
  readonly limits?: Partial<PackagerLimits>;
  /** Longer than the benchmark, for sources that pause on purpose. */
  readonly silenceMs?: number;
  /** Sees every packager, and can return a packager that watches it. */
  readonly onPackager?: (packager: Packager) => RenditionPackager;
  /** Absent: no paths are shared. */
  readonly sharedPaths?: { readonly key: PathKey; readonly lifeMs: number };
  /** Reader of the parts of a rendition; null: none. */
  readonly tapFor?: (cameraUuid: Ruuid, rendition: RenditionName) => RecordingTap | null;
}

const START_MS = 15_000;
const DEFAULT_SILENCE_MS = 10_000;
const IDLE_STOP_MS = 3_600_000;

export function createBenchHub(options: BenchHubOptions): StreamHub {
  keepNewSpaceSmall();
  const limits = { ...DEFAULT_PACKAGER_LIMITS, ...options.limits };
  return new StreamHub({
    clock: systemClock,
    log: silentLog,
    limits: {
      backoffMinMs: 1_000,
      backoffMaxMs: 30_000,
      startMs: START_MS,
      silenceMs: options.silenceMs ?? DEFAULT_SILENCE_MS,
    },
    numberingStore: new MemoryNumbering(),
    createPackager: (opening) => {
      const tap = options.tapFor?.(opening.cameraUuid, opening.rendition) ?? null;
      const onPart = tap === null ? {} : { onPart: (part: CmafPart) => tap.take(part) };
      const { sharedPaths } = options;
      const { cameraUuid, rendition } = opening;
      const signer = sharedPaths?.key.signerOf(cameraUuid, rendition);
      const shared = signer === undefined ? {} : { shared: { signer, lifeMs: sharedPaths!.lifeMs } };
      const packager = new Packager({ clock: systemClock, limits, ...opening, ...onPart, ...shared });
      return options.onPackager?.(packager) ?? packager;
    },
    idleStopMs: IDLE_STOP_MS,
    onStatusChange: () => undefined,
  });
}

class MemoryNumbering implements NumberingStore {
  readonly #entries = new Map<string, Numbering>();

  async find(cameraUuid: string, rendition: string): Promise<Numbering | null> {
    return this.#entries.get(`${cameraUuid} ${rendition}`) ?? null;
  }

  async save(entry: Numbering & { cameraUuid: string; rendition: string }): Promise<void> {
    this.#entries.set(`${entry.cameraUuid} ${entry.rendition}`, entry);
  }
}
