/**
 * Examines a camera for an API caller, before it is stored or afterwards: opens its streams once, as the hub would, and reports their
 * properties, recommended changes, and a snapshot.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { Pool } from '../core/limits/pool.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { parseTlsTrust } from '../sources/network/tls-trust.ts';
import type { Camera } from '../store/entities.ts';
import { isPushed } from '../store/pushed-address.ts';
import type { KeyFrame } from '../stream/media/live-media.ts';
import type { CameraFaultReason } from '../stream/source/camera-fault.ts';
import { type CameraAdvice, cameraAdvice } from './camera-advice.ts';
import type { CameraProber } from './camera-prober.ts';
import { type CameraSource, type CameraSourceFields, mergedSource } from './camera-source.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import {
  type ExaminedStream,
  type ExamineHow,
  type ExamineStream,
  untriedStream,
} from './examined-stream.ts';
import { isOperatorsCamera } from './operators-camera.ts';
import type { OnCameraProbed } from './rtsp-endpoint-service.ts';

/** A decoded picture; null: no decoder was free, or the frame could not be decoded. */
export type DecodeKeyFrame = (
  orgUuid: Ruuid,
  frame: KeyFrame,
  maxWidthPx: number,
) => Promise<DecodedKeyFrame | null>;

export interface DecodedKeyFrame {
  /** A JPEG. */
  readonly bytes: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
}

export interface ExaminationRequest {
  /** A known camera, whose source counts where `source` is silent. null: it is not stored yet. */
  readonly cameraUuid: Ruuid | null;
  readonly source: CameraSourceFields;
  readonly wantsSnapshot: boolean;
  /** Whether the first key frame is enough: nothing is measured, and nothing recommended. */
  readonly isBrief: boolean;
  /** The caller left. */
  readonly signal: AbortSignal;
}

export interface Examination {
  readonly main: ExaminedStream;
  /** null: the camera has no substream. */
  readonly sub: ExaminedStream | null;
  readonly advice: readonly CameraAdvice[];
  /** null: it was not wished, or there is none. */
  readonly snapshot: DecodedKeyFrame | null;
}

export interface CameraExaminerOptions {
  readonly devices: Pick<DeviceService, 'findCamera'>;
  readonly prober: Pick<CameraProber, 'spend'>;
  readonly examineStream: ExamineStream;
  readonly decodeKeyFrame: DecodeKeyFrame;
  readonly onCameraProbed: OnCameraProbed;
  readonly clock: Clock;
}

/** The time for both streams together. With the snapshot, it is shorter than the time that a response can take. */
export const EXAMINATION_MS = 15_000;
const SNAPSHOT_WIDTH_PX = 640;

/** Faults that both streams of a camera share. After a refused login, another attempt may lock the account. */
const SHARED_FAULTS: ReadonlySet<CameraFaultReason> = new Set([
  'unreachable',
  'tls-failed',
  'wrong-password',
  'login-unsupported',
]);

export class CameraExaminer {
  readonly #options: CameraExaminerOptions;
  readonly #places = new Pool(LIMITS.cameraExaminations);

  constructor(options: CameraExaminerOptions) {
    this.#options = options;
  }

  /**
   * Takes up to 15 seconds. Fails CAMERA_NOT_FOUND, CAMERA_IS_PUSHED, PROBES_TOO_OFTEN, PROBES_BUSY, and like
   * `mergedSource`.
   */
  async examine(orgUuid: Ruuid, request: ExaminationRequest): Promise<Examination> {
    const { devices, prober } = this.#options;
    const known =
      request.cameraUuid === null ? null : (await devices.findCamera(orgUuid, request.cameraUuid)).camera;
    if (known !== null && isPushed(known.rtspUrl)) {
      throw new GatewayError(DEVICE_ERRORS.CAMERA_IS_PUSHED, { camera: known.uuid });
    }
    const source = mergedSource(known, request.source);
    const isKnownPlace = known !== null && isSamePlaces(known, source);
    if (!isKnownPlace) await prober.spend(orgUuid);
    // The operator vouches for the addresses of these cameras, not for addresses that a caller puts in their place.
    const reach = isKnownPlace && isOperatorsCamera(known) ? 'anywhere' : 'no-local';
    const place = this.#places.take({ organization: orgUuid });
    if (!place.isTaken) throw new GatewayError(DEVICE_ERRORS.PROBES_BUSY, { boundOf: place.level });
    try {
      const streams = await this.#streams(source, { reach, orgUuid }, request);
      if (known !== null && isKnownPlace && !request.signal.aborted) {
        await this.#options.onCameraProbed(orgUuid, known.uuid, { fault: streams.main.fault });
      }
      const snapshot = request.wantsSnapshot ? await this.#snapshot(orgUuid, streams, request.signal) : null;
      const advice = request.isBrief ? [] : cameraAdvice(streams.main, streams.sub);
      return { ...streams, snapshot, advice };
    } finally {
      place.giveBack();
    }
  }

  /** Opens the main stream, and the substream as soon as the main stream has a frame, so that a camera gets a wrong login only once. */
  async #streams(
    { rtspUrl, substreamUrl, engine, transport, tls }: CameraSource,
    rule: ExamineHow['rule'],
    { signal, isBrief }: Pick<ExaminationRequest, 'signal' | 'isBrief'>,
  ): Promise<Pick<Examination, 'main' | 'sub'>> {
    const { clock, examineStream } = this.#options;
    const startMonoMs = clock.monoMs();
    const reach = { rule, engine, transport, tls: parseTlsTrust(tls) ?? 'verify' } as const;
    const open = (url: CredentialUrl, onMedia?: () => void): Promise<ExaminedStream> => {
      const timeoutMs = Math.max(1, startMonoMs + EXAMINATION_MS - clock.monoMs());
      return examineStream(url, {
        ...reach,
        timeoutMs,
        signal,
        isBrief,
        ...(onMedia === undefined ? {} : { onMedia }),
      });
    };
    if (substreamUrl === null) return { main: await open(rtspUrl), sub: null };
    const { promise: hasMedia, resolve } = Promise.withResolvers<void>();
    const opening = open(rtspUrl, resolve);
    await Promise.race([hasMedia, opening]);
    const early = await Promise.race([opening, Promise.resolve(null)]);
    const fault = early?.fault ?? null;
    if (fault !== null && SHARED_FAULTS.has(fault.reason) && rtspUrl.hostname === substreamUrl.hostname) {
      return { main: await opening, sub: untriedStream(fault) };
    }
    const [main, sub] = await Promise.all([opening, open(substreamUrl)]);
    return { main, sub };
  }

  /** A snapshot of the main stream, or otherwise of the substream. */
  async #snapshot(
    orgUuid: Ruuid,
    { main, sub }: Pick<Examination, 'main' | 'sub'>,
    signal: AbortSignal,
  ): Promise<DecodedKeyFrame | null> {
    const frame = main.keyFrame ?? sub?.keyFrame ?? null;
    if (frame === null || signal.aborted) return null;
    return this.#options.decodeKeyFrame(orgUuid, frame, SNAPSHOT_WIDTH_PX);
  }
}

function isSamePlaces(known: Camera, source: CameraSource): boolean {
  return (
    known.rtspUrl.reveal() === source.rtspUrl.reveal() &&
    known.substreamUrl?.reveal() === source.substreamUrl?.reveal()
  );
}
