/** The PTZ service of a fake ONVIF camera, for tests: a mount that turns on command. */

import { descendant, textOf, type XmlElement } from '../../onvif/xml-element.ts';
import { type FakeResponse, fault, NOT_SUPPORTED, ok } from './fake-onvif-responses.ts';

const SPACES = 'http://www.onvif.org/ver10/tptz';

export interface FakePtzHabits {
  /** Modes in addition to CONTINUOUS. Default: both. */
  readonly modes?: readonly ('RELATIVE' | 'ABSOLUTE')[];
  /** Its positions are degrees, in a space of its own. */
  readonly hasDegrees?: boolean;
  /** It has no zoom. */
  readonly hasNoZoom?: boolean;
  /** It does not know GetStatus and GetPresets. */
  readonly saysNothing?: boolean;
  /** The profiles that can be moved. Default: all. */
  readonly profiles?: readonly string[];
}

/** A request, unchanged. */
export interface FakePtzRequest {
  readonly name: string;
  readonly profile: string;
  /** `x` and `y` of PanTilt, `x` of Zoom, by axis. */
  readonly axes: Readonly<Record<string, number>>;
  readonly timeout: string | null;
}

const NO_PRESET = fault(400, ['InvalidArgVal', 'NoToken'], 'No such preset');

export class FakePtz {
  /** Those that move or stop it, in order. */
  readonly requests: FakePtzRequest[] = [];
  readonly presets = new Map<string, string>([['1', 'Gate']]);
  isMoving = false;
  /** Moves and stops are not answered while this is pending. */
  held: Promise<void> | null = null;
  position = { pan: 0, tilt: 0, zoom: 0 };
  readonly #habits: FakePtzHabits;

  constructor(habits: FakePtzHabits) {
    this.#habits = habits;
  }

  canMove(profile: string): boolean {
    return this.#habits.profiles?.includes(profile) ?? true;
  }

  answer(name: string, request: XmlElement): FakeResponse | Promise<FakeResponse> {
    const profile = textOf(request, 'ProfileToken') ?? '';
    if (name === 'GetNodes') return ok(name, this.#node());
    if (!this.canMove(profile)) return fault(400, ['InvalidArgVal', 'NoProfile']);
    const { saysNothing = false } = this.#habits;
    switch (name) {
      case 'GetStatus':
        return saysNothing ? NOT_SUPPORTED : ok(name, this.#status());
      case 'GetPresets':
        return saysNothing ? NOT_SUPPORTED : ok(name, this.#presets());
      case 'SetPreset':
        return this.#setPreset(name, request);
      case 'RemovePreset':
        return this.presets.delete(textOf(request, 'PresetToken') ?? '') ? ok(name, '') : NO_PRESET;
      default:
        return this.#move(name, profile, request);
    }
  }

  async #move(name: string, profile: string, request: XmlElement): Promise<FakeResponse> {
    if (name === 'GotoPreset' && !this.presets.has(textOf(request, 'PresetToken') ?? '')) return NO_PRESET;
    this.requests.push({ name, profile, axes: axesOf(request), timeout: textOf(request, 'Timeout') });
    await this.held;
    this.isMoving = name === 'ContinuousMove';
    return ok(name, '');
  }

  #setPreset(name: string, request: XmlElement): FakeResponse {
    const token = textOf(request, 'PresetToken') ?? String(this.presets.size + 1);
    this.presets.set(token, textOf(request, 'PresetName') ?? '');
    return ok(name, `<t:PresetToken>${token}</t:PresetToken>`);
  }

  #node(): string {
    const { modes = ['RELATIVE', 'ABSOLUTE'], hasNoZoom = false } = this.#habits;
    const [far, high] = this.#habits.hasDegrees === true ? [180, 90] : [1, 1];
    const space = (kind: string, uri: string, x: readonly number[], y?: readonly number[]) =>
      `<t:${kind}><t:URI>${uri}</t:URI>${range('XRange', x)}${y === undefined ? '' : range('YRange', y)}</t:${kind}>`;
    const area = (kind: string, name: string, [x, y]: readonly [number, number]) =>
      space(kind, `${SPACES}/PanTiltSpaces/${name}`, [-x, x], [-y, y]);
    const line = (kind: string, name: string, x: readonly number[]) =>
      hasNoZoom ? '' : space(kind, `${SPACES}/ZoomSpaces/${name}`, x);
    const [relative, absolute] = [modes.includes('RELATIVE'), modes.includes('ABSOLUTE')];
    return (
      '<t:PTZNode token="node"><t:Name>Mount</t:Name><t:SupportedPTZSpaces>' +
      `${area('ContinuousPanTiltVelocitySpace', 'VelocityGenericSpace', [1, 1])}` +
      `${line('ContinuousZoomVelocitySpace', 'VelocityGenericSpace', [-1, 1])}` +
      `${relative ? area('RelativePanTiltTranslationSpace', 'TranslationGenericSpace', [1, 1]) : ''}` +
      `${relative ? line('RelativeZoomTranslationSpace', 'TranslationGenericSpace', [-1, 1]) : ''}` +
      `${absolute ? area('AbsolutePanTiltPositionSpace', 'PositionSpace', [far, high]) : ''}` +
      `${absolute ? line('AbsoluteZoomPositionSpace', 'PositionGenericSpace', [0, 1]) : ''}` +
      '</t:SupportedPTZSpaces><t:MaximumNumberOfPresets>16</t:MaximumNumberOfPresets>' +
      '<t:HomeSupported>false</t:HomeSupported></t:PTZNode>'
    );
  }

  #status(): string {
    const { pan, tilt, zoom } = this.position;
    const word = this.isMoving ? 'MOVING' : 'IDLE';
    return (
      `<t:PTZStatus><t:Position><t:PanTilt x="${pan}" y="${tilt}"/><t:Zoom x="${zoom}"/></t:Position>` +
      `<t:MoveStatus><t:PanTilt>${word}</t:PanTilt><t:Zoom>IDLE</t:Zoom></t:MoveStatus></t:PTZStatus>`
    );
  }

  #presets(): string {
    return [...this.presets]
      .map(([token, name]) => `<t:Preset token="${token}"><t:Name>${name}</t:Name></t:Preset>`)
      .join('');
  }
}

function axesOf(request: XmlElement): Record<string, number> {
  const turn = descendant(request, 'PanTilt');
  const zoom = descendant(request, 'Zoom');
  const axes: Record<string, number> = {};
  for (const [axis, element, attribute] of [
    ['pan', turn, 'x'],
    ['tilt', turn, 'y'],
    ['zoom', zoom, 'x'],
  ] as const) {
    const value = element?.attributes.get(attribute);
    if (value !== undefined) axes[axis] = Number(value);
  }
  return axes;
}

function range(name: string, [min, max]: readonly number[]): string {
  return `<t:${name}><t:Min>${min}</t:Min><t:Max>${max}</t:Max></t:${name}>`;
}
