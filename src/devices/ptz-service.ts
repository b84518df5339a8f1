/** Moves cameras for API callers: which camera is meant, whether the call makes sense, how often, and who did it. */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { Pool, type Taken } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RateLimiter } from '../counters/rate-limiter.ts';
import type { PtzMode, PtzVector } from '../onvif/ptz-messages.ts';
import type { Camera } from '../store/entities.ts';
import type { CameraMoves, OverdueMove } from './camera-moves.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import type { PtzState } from './onvif/onvif-ptz.ts';
import { isSameTarget, type OnvifTarget, onvifTargetOf } from './onvif-target.ts';
import { type CameraPtz, type MovesOfCamera, PtzCamera } from './ptz-camera.ts';

/** Calls for one camera. A joystick sends a few per second. */
export const PTZ_CALL_LIMIT: RateLimit = { burst: 20, perSec: 5 };
/** Between looks for moves that other nodes have not ended. */
const OVERDUE_LOOK_MS = 1_000;

/** In the generic spaces of ONVIF; absent axes stay as they are. */
export interface PtzMove {
  readonly mode: PtzMode;
  readonly pan?: number | undefined;
  readonly tilt?: number | undefined;
  readonly zoom?: number | undefined;
  /** When a CONTINUOUS move ends, for which it is required; others ignore it. */
  readonly timeoutMs?: number | undefined;
}

/** The missing part of a move. */
export type PtzPart = 'axis' | 'timeout' | 'pan-tilt' | 'zoom';

type NamedCamera = Pick<Camera, 'orgUuid' | 'uuid' | 'name'>;

/** Records the moves and their callers, as in AuditTrail. */
export interface PtzAudit {
  cameraMoved(
    camera: NamedCamera,
    action: 'MOVE_CAMERA_PTZ' | 'STOP_CAMERA_PTZ' | 'GOTO_CAMERA_PTZ_PRESET',
  ): void;
  cameraPresetChanged(
    camera: NamedCamera,
    action: 'SET_CAMERA_PTZ_PRESET' | 'REMOVE_CAMERA_PTZ_PRESET',
  ): void;
}

export const NO_PTZ_AUDIT: PtzAudit = {
  cameraMoved: () => undefined,
  cameraPresetChanged: () => undefined,
};

export interface PtzServiceOptions {
  readonly devices: Pick<DeviceService, 'findCamera'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: PtzAudit;
  readonly openPtz: (target: OnvifTarget) => CameraPtz;
  /** null: no other node moves cameras. */
  readonly moves: CameraMoves | null;
  /** Limits calls, by camera. */
  readonly limiter: RateLimiter;
}

interface Kept {
  readonly target: OnvifTarget;
  readonly ptz: PtzCamera;
  readonly orgUuid: Ruuid;
  readonly place: Taken;
}

/**
 * Every method fails CAMERA_NOT_FOUND, PTZ_WITHOUT_ONVIF, PTZ_BUSY, and like OnvifPtz; all but `stop` also fail
 * PTZ_TOO_OFTEN.
 */
export class PtzService {
  readonly #options: PtzServiceOptions;
  /** The least recently used first. */
  readonly #kept = new Map<Ruuid, Kept>();
  readonly #places = new Pool(LIMITS.ptzCameras);
  /** Cameras that stop because they are no longer reached as before. */
  readonly #closing = new Set<Promise<void>>();
  #look: TimerHandle | null = null;
  #isClosed = false;

  constructor(options: PtzServiceOptions) {
    this.#options = options;
    this.#lookLater();
  }

  async state(orgUuid: Ruuid, deviceFacetUuid: string): Promise<PtzState> {
    const { ptz } = await this.#allowed(orgUuid, deviceFacetUuid);
    return ptz.ask((requested, signal) => requested.state(signal));
  }

  /** Also fails PTZ_MOVE_INCOMPLETE, PTZ_MOVE_REPLACED. */
  async move(orgUuid: Ruuid, deviceFacetUuid: string, move: PtzMove): Promise<void> {
    const lacking = lackingPart(move);
    if (lacking !== null) throw new GatewayError(DEVICE_ERRORS.PTZ_MOVE_INCOMPLETE, { part: lacking });
    const { camera, ptz } = await this.#allowed(orgUuid, deviceFacetUuid);
    const { mode, pan = null, tilt = null, zoom = null, timeoutMs } = move;
    const vector: PtzVector = { pan, tilt, zoom };
    await ptz.move(mode, vector, mode === 'CONTINUOUS' ? timeoutMs! : null);
    this.#options.audit.cameraMoved(camera, 'MOVE_CAMERA_PTZ');
  }

  /** Also fails PTZ_MOVE_REPLACED. */
  async stop(orgUuid: Ruuid, deviceFacetUuid: string): Promise<void> {
    const { camera, ptz } = await this.#find(orgUuid, deviceFacetUuid);
    await ptz.stop();
    this.#options.audit.cameraMoved(camera, 'STOP_CAMERA_PTZ');
  }

  /** Also fails PTZ_MOVE_REPLACED. */
  async gotoPreset(orgUuid: Ruuid, deviceFacetUuid: string, presetToken: string): Promise<void> {
    const { camera, ptz } = await this.#allowed(orgUuid, deviceFacetUuid);
    await ptz.gotoPreset(presetToken);
    this.#options.audit.cameraMoved(camera, 'GOTO_CAMERA_PTZ_PRESET');
  }

  /** Where the camera looks now. `presetToken`: undefined makes a new one. Resolves with its token. */
  async setPreset(
    orgUuid: Ruuid,
    deviceFacetUuid: string,
    name: string,
    presetToken: string | undefined,
  ): Promise<string> {
    const { camera, ptz } = await this.#allowed(orgUuid, deviceFacetUuid);
    const token = await ptz.ask((requested, signal) =>
      requested.setPreset(name, presetToken ?? null, signal),
    );
    this.#options.audit.cameraPresetChanged(camera, 'SET_CAMERA_PTZ_PRESET');
    return token;
  }

  async removePreset(orgUuid: Ruuid, deviceFacetUuid: string, presetToken: string): Promise<void> {
    const { camera, ptz } = await this.#allowed(orgUuid, deviceFacetUuid);
    await ptz.ask((requested, signal) => requested.removePreset(presetToken, signal));
    this.#options.audit.cameraPresetChanged(camera, 'REMOVE_CAMERA_PTZ_PRESET');
  }

  /** Resolves when every camera that was moved has stopped, or does not answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#look?.cancel();
    for (const kept of this.#kept.values()) this.#close(kept);
    this.#kept.clear();
    await Promise.all(this.#closing);
  }

  async #allowed(orgUuid: Ruuid, deviceFacetUuid: string) {
    const found = await this.#find(orgUuid, deviceFacetUuid);
    const { isAllowed, retryAfterSec } = await this.#options.limiter.take(found.camera.uuid);
    if (!isAllowed) throw new GatewayError(DEVICE_ERRORS.PTZ_TOO_OFTEN, { retryAfterSec });
    return found;
  }

  async #find(
    orgUuid: Ruuid,
    deviceFacetUuid: string,
  ): Promise<{ readonly camera: Camera; readonly ptz: PtzCamera }> {
    const { camera } = await this.#options.devices.findCamera(orgUuid, deviceFacetUuid);
    const target = onvifTargetOf(camera);
    if (target === null) throw new GatewayError(DEVICE_ERRORS.PTZ_WITHOUT_ONVIF, { camera: camera.uuid });
    const known = this.#kept.get(camera.uuid);
    this.#kept.delete(camera.uuid);
    const isCurrent = known !== undefined && isSameTarget(known.target, target);
    if (known !== undefined && !isCurrent) this.#close(known);
    const kept = isCurrent ? known : this.#open(camera, target);
    this.#kept.set(camera.uuid, kept);
    return { camera, ptz: kept.ptz };
  }

  #lookLater(): void {
    const { clock, moves } = this.#options;
    if (moves === null || this.#isClosed) return;
    this.#look = clock.after(OVERDUE_LOOK_MS, () => {
      void this.#endOverdue(moves).finally(() => this.#lookLater());
    });
  }

  async #endOverdue(moves: CameraMoves): Promise<void> {
    for (const move of await moves.overdue()) await this.#endMoveOf(moves, move);
  }

  async #endMoveOf(moves: CameraMoves, { camera, token }: OverdueMove): Promise<void> {
    const { log } = this.#options;
    log.warn({ camera: camera.uuid }, 'another node did not end a move of the camera');
    try {
      const { ptz } = await this.#find(camera.orgUuid, camera.uuid);
      ptz.endOverdue(token);
    } catch (thrown) {
      log.warn({ err: toGatewayError(thrown), camera: camera.uuid }, 'camera not stopped');
      await moves.settle(camera, token, { kind: 'ends' });
    }
  }

  #open(camera: Camera, target: OnvifTarget): Kept {
    const { clock, log, openPtz, moves } = this.#options;
    const { uuid, name } = camera;
    const place = this.#take(camera.orgUuid);
    const onNotStopped = (err: GatewayError) => log.warn({ err, camera: uuid, name }, 'camera not stopped');
    const ofCamera: MovesOfCamera | null = moves && {
      begin: () => moves.begin(camera),
      beginEnd: (move) => moves.beginEnd(camera, move),
      settle: (move, outcome) => moves.settle(camera, move, outcome),
    };
    const ptz = new PtzCamera({ clock, moves: ofCamera, open: () => openPtz(target), onNotStopped });
    return { target, ptz, orgUuid: camera.orgUuid, place };
  }

  /** Idle conversations make room, those of the organization first. Fails PTZ_BUSY. */
  #take(organization: Ruuid): Taken {
    for (;;) {
      const place = this.#places.take({ organization });
      if (place.isTaken) return place;
      const idle = [...this.#kept].filter(([, { ptz }]) => ptz.isIdle);
      const [uuid, kept] = idle.find(([, { orgUuid }]) => orgUuid === organization) ?? idle[0] ?? [];
      if (uuid === undefined) throw new GatewayError(DEVICE_ERRORS.PTZ_BUSY, { boundOf: place.level });
      this.#kept.delete(uuid);
      kept?.place.giveBack();
    }
  }

  #close({ ptz, place }: Kept): void {
    place.giveBack();
    const closing = ptz.close();
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }
}

function lackingPart({ mode, pan, tilt, zoom, timeoutMs }: PtzMove): PtzPart | null {
  if (pan === undefined && tilt === undefined && zoom === undefined) return 'axis';
  if (mode === 'CONTINUOUS' && timeoutMs === undefined) return 'timeout';
  // A position has both.
  if (mode === 'ABSOLUTE' && (pan === undefined) !== (tilt === undefined)) return 'pan-tilt';
  return mode === 'ABSOLUTE' && zoom !== undefined && zoom < 0 ? 'zoom' : null;
}
