/** Moving a camera: what it can do, its presets, and the calls. */

import { type Answer, CallError, call } from './api.ts';
import type { MoveCalls } from './held-move.ts';

export type PtzState = Answer<'relay/getPtzStatus'>;

/** `none`: the camera cannot be moved. */
export type Ptz = { readonly kind: 'none' } | { readonly kind: 'ready'; readonly state: PtzState };

/** Refusals by which the camera has no ONVIF, or no motors: nothing to offer. Other failures may end. */
export const CANNOT_MOVE = /no ONVIF service|cannot be moved/;

/** Fails with a CallError. */
export async function readPtz(cameraUuid: string, signal: AbortSignal): Promise<Ptz> {
  try {
    const state = await call('relay/getPtzStatus', { cameraUuid }, signal);
    const isMovable = canTurn(state) || canZoom(state) || state.presets.length > 0;
    return isMovable ? { kind: 'ready', state } : { kind: 'none' };
  } catch (error) {
    if (error instanceof CallError && error.status === 200 && CANNOT_MOVE.test(error.message)) {
      return { kind: 'none' };
    }
    throw error;
  }
}

export function canTurn({ panTiltModes }: PtzState): boolean {
  return panTiltModes.includes('CONTINUOUS');
}

export function canZoom({ zoomModes }: PtzState): boolean {
  return zoomModes.includes('CONTINUOUS');
}

export function moveCalls(cameraUuid: string, onError: MoveCalls['onError']): MoveCalls {
  return {
    move: async ({ pan, tilt, zoom }, timeoutMs) => {
      await call('relay/movePtz', {
        cameraUuid,
        mode: 'CONTINUOUS',
        ...(pan === 0 && tilt === 0 ? {} : { pan, tilt }),
        ...(zoom === 0 ? {} : { zoom }),
        timeoutMs,
      });
    },
    stop: async () => {
      await call('relay/stopPtz', { cameraUuid });
    },
    onError,
  };
}

/** Fails with a CallError. */
export async function goToPreset(cameraUuid: string, presetToken: string): Promise<void> {
  await call('relay/gotoPtzPreset', { cameraUuid, presetToken });
}

/** Keeps where the camera looks now. Fails with a CallError. */
export async function addPreset(cameraUuid: string, name: string): Promise<void> {
  await call('relay/setPtzPreset', { cameraUuid, name });
}

/** Fails with a CallError. */
export async function removePreset(cameraUuid: string, presetToken: string): Promise<void> {
  await call('relay/removePtzPreset', { cameraUuid, presetToken });
}
