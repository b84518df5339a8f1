/** Where cameras are on a floor plan, and what they see of it. Pure. Places are shares, 0 to 1, of the plan's width and height. */

import type { Answer } from './api.ts';

export type PlacedCamera = Answer<'location/getFloorPlan'>['cameras'][number];

export type PlanPlace = Omit<PlacedCamera, 'cameraUuid'>;

export interface PlanSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Of a camera that was just placed: upward, as wide as most cameras see. */
export const NEW_PLACE: PlanPlace = { x: 0.5, y: 0.5, directionDeg: 0, angleDeg: 80, reach: 0.15 };
export const ANGLE_RANGE = [10, 360] as const;
export const REACH_RANGE = [0.02, 0.6] as const;

const FULL_DEG = 360;

/** By shares of the plan; it does not leave it. */
export function moved(place: PlanPlace, byX: number, byY: number): PlanPlace {
  return { ...place, x: rounded(bounded(place.x + byX, 0, 1)), y: rounded(bounded(place.y + byY, 0, 1)) };
}

export function rotated(place: PlanPlace, byDeg: number): PlanPlace {
  return { ...place, directionDeg: (((place.directionDeg + byDeg) % FULL_DEG) + FULL_DEG) % FULL_DEG };
}

/** Looks at a point of the plan, and sees as far as that. */
export function aimed(place: PlanPlace, x: number, y: number, { widthPx, heightPx }: PlanSize): PlanPlace {
  const [dx, dy] = [(x - place.x) * widthPx, (y - place.y) * heightPx];
  const directionDeg = Math.round((Math.atan2(dx, -dy) * 180) / Math.PI + FULL_DEG) % FULL_DEG;
  const reach = rounded(bounded(Math.hypot(dx, dy) / widthPx, ...REACH_RANGE));
  return { ...place, directionDeg, reach };
}

/** The point in the middle of the end of the view: it can be dragged. */
export function aimOf(place: PlanPlace, size: PlanSize): { readonly x: number; readonly y: number } {
  const [dx, dy] = offset(place.directionDeg, place.reach * size.widthPx);
  return { x: place.x + dx / size.widthPx, y: place.y + dy / size.heightPx };
}

/** The path of the view's cone, in pixels of the plan. */
export function conePath(place: PlanPlace, { widthPx, heightPx }: PlanSize): string {
  const { x, y, directionDeg, angleDeg } = place;
  const [centerX, centerY] = [x * widthPx, y * heightPx];
  const radius = place.reach * widthPx;
  if (angleDeg >= FULL_DEG) {
    const half = `a${text(radius)} ${text(radius)} 0 1 1`;
    return `M${text(centerX - radius)} ${text(centerY)}${half} ${text(2 * radius)} 0${half} ${text(-2 * radius)} 0z`;
  }
  const [fromX, fromY] = offset(directionDeg - angleDeg / 2, radius);
  const [toX, toY] = offset(directionDeg + angleDeg / 2, radius);
  const isLarge = angleDeg > FULL_DEG / 2 ? 1 : 0;
  return `M${text(centerX)} ${text(centerY)}l${text(fromX)} ${text(fromY)}A${text(radius)} ${text(radius)} 0 ${isLarge} 1 ${text(centerX + toX)} ${text(centerY + toY)}z`;
}

/** Within the largest side, in the same shape. */
export function fitted({ widthPx, heightPx }: PlanSize, maxPx: number): PlanSize {
  const scale = Math.min(1, maxPx / Math.max(widthPx, heightPx));
  return {
    widthPx: Math.max(1, Math.round(widthPx * scale)),
    heightPx: Math.max(1, Math.round(heightPx * scale)),
  };
}

export function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Clockwise from the top. */
function offset(directionDeg: number, length: number): readonly [x: number, y: number] {
  const radians = (directionDeg * Math.PI) / 180;
  return [Math.sin(radians) * length, -Math.cos(radians) * length];
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}

function text(px: number): string {
  return String(Math.round(px * 10) / 10);
}
