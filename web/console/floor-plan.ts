/** The floor plan of a site: how it is read and changed, and how a picture of any format becomes its image. */

import { type Answer, CallError, call } from './api.ts';
import { fitted, type PlanPlace } from './plan-geometry.ts';
import { t } from './words.ts';

export type FloorPlan = Answer<'location/getFloorPlan'>;

/** As the gateway allows. */
const MAX_IMAGE_BYTES = 700_000;
/** Wide enough to read a room's number on a large screen. */
const SIDES_PX = [2_400, 1_600, 1_000] as const;
const QUALITIES = [0.88, 0.72, 0.55] as const;

/** Fails with a CallError. */
export function readFloorPlan(locationUuid: string, signal: AbortSignal): Promise<FloorPlan> {
  return call('location/getFloorPlan', { locationUuid }, signal);
}

/** Fails with a CallError, also if the file is not a picture that this browser can read. */
export async function setFloorPlan(locationUuid: string, file: Blob): Promise<void> {
  await call('location/setFloorPlan', { locationUuid, imageData: await jpegOf(file) });
}

/** Cameras keep their places. Fails with a CallError. */
export async function removeFloorPlan(locationUuid: string): Promise<void> {
  await call('location/removeFloorPlan', { locationUuid });
}

/** `place` null: it is taken off. Fails with a CallError. */
export async function placeOnPlan(
  locationUuid: string,
  cameraUuid: string,
  place: PlanPlace | null,
): Promise<void> {
  if (place === null) await call('location/removeCameraFromPlan', { cameraUuid });
  else await call('location/placeCameraOnPlan', { locationUuid, cameraUuid, ...place });
}

/**
 * The browser decodes the file in its sandbox, and makes a JPEG of it that is small enough. In base64. Fails with a
 * CallError.
 */
async function jpegOf(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file).catch(() => {
    throw unreadable();
  });
  try {
    for (const sidePx of SIDES_PX) {
      const { widthPx, heightPx } = fitted({ widthPx: picture.width, heightPx: picture.height }, sidePx);
      const canvas = new OffscreenCanvas(widthPx, heightPx);
      const drawing = canvas.getContext('2d');
      if (drawing === null) throw unreadable();
      // What is transparent is paper.
      drawing.fillStyle = '#fff';
      drawing.fillRect(0, 0, widthPx, heightPx);
      drawing.drawImage(picture, 0, 0, widthPx, heightPx);
      for (const quality of QUALITIES) {
        const made = await canvas.convertToBlob({ type: 'image/jpeg', quality });
        if (made.size <= MAX_IMAGE_BYTES) return base64Of(new Uint8Array(await made.arrayBuffer()));
      }
    }
    throw unreadable();
  } finally {
    picture.close();
  }
}

function unreadable(): CallError {
  return new CallError(t('This browser cannot read the file. Choose a PNG, JPEG, or WebP picture.'), {
    status: 400,
  });
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(text);
}

const CHUNK_BYTES = 8_192;
