/**
 * Requests to a camera's PTZ service (ONVIF PTZ Service Specification §5), and its responses. Callers write velocities,
 * translations and positions in the generic spaces (§5.7): pan and tilt from −1 to 1, right and up being positive, zoom
 * from −1 (wide) to 1 (tele) and, as a position, from 0 to 1. They are converted to the spaces that the camera has.
 */

import { printable } from '../core/printable.ts';
import type { SoapMessage } from './soap.ts';
import { childrenOf, descendant, descendants, escapeXml, textOf, type XmlElement } from './xml-element.ts';

const PTZ = 'http://www.onvif.org/ver20/ptz/wsdl';
const SCHEMA = 'http://www.onvif.org/ver10/schema';

/** The most that is read of one response. */
const MAX_NODES = 64;
export const MAX_PRESETS = 512;
const MAX_TOKEN_CHARS = 256;
const MAX_NAME_CHARS = 100;
const MAX_SPACE_CHARS = 256;

export const PTZ_MODES = ['CONTINUOUS', 'RELATIVE', 'ABSOLUTE'] as const;
export type PtzMode = (typeof PTZ_MODES)[number];

export const GET_NODES: SoapMessage = ptzMessage('GetNodes', '');

export function getStatus(profileToken: string): SoapMessage {
  return ptzMessage('GetStatus', profileField(profileToken));
}

export function getPresets(profileToken: string): SoapMessage {
  return ptzMessage('GetPresets', profileField(profileToken));
}

export function gotoPreset(profileToken: string, presetToken: string): SoapMessage {
  return ptzMessage('GotoPreset', profileField(profileToken) + presetField(presetToken));
}

/** `presetToken`: null makes a new preset. */
export function setPreset(profileToken: string, name: string, presetToken: string | null): SoapMessage {
  const named = `<p:PresetName>${escapeXml(name)}</p:PresetName>`;
  const token = presetToken === null ? '' : presetField(presetToken);
  return ptzMessage('SetPreset', profileField(profileToken) + named + token);
}

export function removePreset(profileToken: string, presetToken: string): SoapMessage {
  return ptzMessage('RemovePreset', profileField(profileToken) + presetField(presetToken));
}

/** All axes. */
export function stopMoves(profileToken: string): SoapMessage {
  const axes = '<p:PanTilt>true</p:PanTilt><p:Zoom>true</p:Zoom>';
  return ptzMessage('Stop', profileField(profileToken) + axes);
}

export interface PtzRange {
  readonly min: number;
  readonly max: number;
}

/** In what numbers a camera takes one kind of move. */
export interface PtzSpace {
  readonly uri: string;
  /** Pan, or zoom. */
  readonly x: PtzRange;
  /** Tilt; null: a space of zoom. */
  readonly y: PtzRange | null;
}

/** The abilities of one mount; null: it does not support this kind of move. */
export interface PtzNode {
  readonly token: string;
  readonly panTilt: Readonly<Record<PtzMode, PtzSpace | null>>;
  readonly zoom: Readonly<Record<PtzMode, PtzSpace | null>>;
  /** 0: it has no presets. */
  readonly maxPresets: number;
}

/** The nodes in a response to GetNodes, in the camera's order. */
export function readNodes(body: XmlElement): PtzNode[] {
  return descendants(body, 'PTZNode')
    .slice(0, MAX_NODES)
    .map((node) => {
      const spaces = descendant(node, 'SupportedPTZSpaces') ?? node;
      const presets = Number(textOf(node, 'MaximumNumberOfPresets') ?? 0);
      return {
        token: node.attributes.get('token') ?? '',
        panTilt: {
          CONTINUOUS: spaceOf(spaces, 'ContinuousPanTiltVelocitySpace', 'PanTilt'),
          RELATIVE: spaceOf(spaces, 'RelativePanTiltTranslationSpace', 'PanTilt'),
          ABSOLUTE: spaceOf(spaces, 'AbsolutePanTiltPositionSpace', 'PanTilt'),
        },
        zoom: {
          CONTINUOUS: spaceOf(spaces, 'ContinuousZoomVelocitySpace', 'Zoom'),
          RELATIVE: spaceOf(spaces, 'RelativeZoomTranslationSpace', 'Zoom'),
          ABSOLUTE: spaceOf(spaces, 'AbsoluteZoomPositionSpace', 'Zoom'),
        },
        maxPresets: Number.isInteger(presets) && presets > 0 ? Math.min(presets, MAX_PRESETS) : 0,
      };
    });
}

/** The generic space of a kind, otherwise the camera's first. */
function spaceOf(spaces: XmlElement, kind: string, axes: 'PanTilt' | 'Zoom'): PtzSpace | null {
  const known = childrenOf(spaces, kind).flatMap((space) => {
    const uri = textOf(space, 'URI') ?? '';
    const x = rangeOf(space, 'XRange');
    const y = axes === 'Zoom' ? null : rangeOf(space, 'YRange');
    const isWhole = x !== null && (axes === 'Zoom' || y !== null);
    return isWhole && uri !== '' && uri.length <= MAX_SPACE_CHARS ? [{ uri, x, y }] : [];
  });
  return known.find(({ uri }) => /GenericSpace$/.test(uri)) ?? known[0] ?? null;
}

/** null: it is missing or empty. */
function rangeOf(space: XmlElement, name: string): PtzRange | null {
  const range = childrenOf(space, name)[0];
  const [min, max] = ['Min', 'Max'].map((end) => numberOf(range === undefined ? null : textOf(range, end)));
  return min == null || max == null || min >= max ? null : { min, max };
}

/** In the generic spaces; null: this axis is not moved. */
export interface PtzVector {
  readonly pan: number | null;
  readonly tilt: number | null;
  readonly zoom: number | null;
}

/**
 * A message for a move that `node` can make: the axes of `vector` that are not null must have a space. `timeoutSec` is when the camera
 * itself stops a CONTINUOUS move, in whole seconds, because many read no fractions.
 */
export function moveMessage(
  profileToken: string,
  mode: PtzMode,
  node: PtzNode,
  vector: PtzVector,
  timeoutSec: number,
): SoapMessage {
  const profile = profileField(profileToken);
  const fields = vectorFields(mode, node, vector);
  switch (mode) {
    case 'CONTINUOUS': {
      const timeout = `<p:Timeout>PT${timeoutSec}S</p:Timeout>`;
      return ptzMessage('ContinuousMove', `${profile}<p:Velocity>${fields}</p:Velocity>${timeout}`);
    }
    case 'RELATIVE':
      return ptzMessage('RelativeMove', `${profile}<p:Translation>${fields}</p:Translation>`);
    case 'ABSOLUTE':
      return ptzMessage('AbsoluteMove', `${profile}<p:Position>${fields}</p:Position>`);
  }
}

function vectorFields(mode: PtzMode, node: PtzNode, { pan, tilt, zoom }: PtzVector): string {
  const [area, line] = [node.panTilt[mode], node.zoom[mode]];
  const isPosition = mode === 'ABSOLUTE';
  let fields = '';
  if (area?.y != null && (pan !== null || tilt !== null)) {
    const x = isPosition ? within(area.x, ((pan ?? 0) + 1) / 2) : scaled(area.x, pan ?? 0);
    const y = isPosition ? within(area.y, ((tilt ?? 0) + 1) / 2) : scaled(area.y, tilt ?? 0);
    fields += `<t:PanTilt xmlns:t="${SCHEMA}" x="${x}" y="${y}" space="${escapeXml(area.uri)}"/>`;
  }
  if (line !== null && zoom !== null) {
    const x = isPosition ? within(line.x, zoom) : scaled(line.x, zoom);
    fields += `<t:Zoom xmlns:t="${SCHEMA}" x="${x}" space="${escapeXml(line.uri)}"/>`;
  }
  return fields;
}

export type PtzMoveStatus = 'IDLE' | 'MOVING' | 'UNKNOWN';

export interface PtzStatus {
  /** In the generic spaces; null: the camera does not report it. */
  readonly position: PtzVector | null;
  readonly moveStatus: PtzMoveStatus;
}

/** The status in a response to GetStatus. A position in a space that `node` does not have is left out. */
export function readStatus(body: XmlElement, node: PtzNode): PtzStatus {
  const status = descendant(body, 'PTZStatus');
  const position = status === undefined ? undefined : childrenOf(status, 'Position')[0];
  const moving = status === undefined ? undefined : childrenOf(status, 'MoveStatus')[0];
  return {
    position: position === undefined ? null : positionOf(position, node),
    moveStatus: moving === undefined ? 'UNKNOWN' : moveStatusOf(moving),
  };
}

function positionOf(position: XmlElement, { panTilt, zoom }: PtzNode): PtzVector | null {
  const area = knownSpace(childrenOf(position, 'PanTilt')[0], panTilt.ABSOLUTE);
  const line = knownSpace(childrenOf(position, 'Zoom')[0], zoom.ABSOLUTE);
  if (area === null && line === null) return null;
  const x = area === null ? null : portion(area.space.x, area.element, 'x');
  const y = area?.space.y == null ? null : portion(area.space.y, area.element, 'y');
  return {
    pan: x === null ? null : rounded(2 * x - 1),
    tilt: y === null ? null : rounded(2 * y - 1),
    zoom: line === null ? null : portion(line.space.x, line.element, 'x'),
  };
}

function knownSpace(
  element: XmlElement | undefined,
  space: PtzSpace | null,
): { readonly element: XmlElement; readonly space: PtzSpace } | null {
  if (element === undefined || space === null) return null;
  // Cameras leave it out if they have only one.
  const named = element.attributes.get('space') ?? space.uri;
  return named === space.uri ? { element, space } : null;
}

function moveStatusOf(status: XmlElement): PtzMoveStatus {
  const words = status.children.map(({ text }) => text.trim().toUpperCase());
  if (words.includes('MOVING')) return 'MOVING';
  return words.length > 0 && words.every((word) => word === 'IDLE') ? 'IDLE' : 'UNKNOWN';
}

export interface PtzPreset {
  readonly token: string;
  /** '' if it has none. */
  readonly name: string;
}

/** The presets in a response to GetPresets, in the camera's order, each token once. */
export function readPresets(body: XmlElement): PtzPreset[] {
  const presets = new Map<string, PtzPreset>();
  for (const preset of descendants(body, 'Preset')) {
    const token = preset.attributes.get('token') ?? '';
    if (token === '' || token.length > MAX_TOKEN_CHARS || presets.has(token)) continue;
    presets.set(token, { token, name: printable(textOf(preset, 'Name') ?? '', MAX_NAME_CHARS) });
    if (presets.size === MAX_PRESETS) break;
  }
  return [...presets.values()];
}

/** The token in a response to SetPreset; null if the camera does not return one. */
export function readPresetToken(body: XmlElement): string | null {
  const token = textOf(body, 'PresetToken');
  return token === null || token.length > MAX_TOKEN_CHARS ? null : token;
}

/** Zero stays zero: a camera must not creep. */
function scaled({ min, max }: PtzRange, value: number): number {
  return rounded(value < 0 ? -value * min : value * max);
}

/** `part`: from 0 to 1. */
function within({ min, max }: PtzRange, part: number): number {
  return rounded(min + part * (max - min));
}

/** Where in the range an attribute is, from 0 to 1; null: it is missing or outside. */
function portion({ min, max }: PtzRange, element: XmlElement, attribute: string): number | null {
  const value = numberOf(element.attributes.get(attribute) ?? null);
  const part = value === null ? Number.NaN : (value - min) / (max - min);
  // Cameras report a little more than their limits.
  return part >= -0.01 && part <= 1.01 ? rounded(Math.min(1, Math.max(0, part))) : null;
}

function numberOf(text: string | null): number | null {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** As many digits as a motor can use, and never in the notation with an exponent. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000 + 0;
}

function profileField(profileToken: string): string {
  return `<p:ProfileToken>${escapeXml(profileToken)}</p:ProfileToken>`;
}

function presetField(presetToken: string): string {
  return `<p:PresetToken>${escapeXml(presetToken)}</p:PresetToken>`;
}

function ptzMessage(operation: string, fields: string): SoapMessage {
  return {
    body: `<p:${operation} xmlns:p="${PTZ}">${fields}</p:${operation}>`,
    action: `${PTZ}/${operation}`,
  };
}
