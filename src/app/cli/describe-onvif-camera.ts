/** An ONVIF camera in lines for a terminal. */

import type { GatewayError } from '../../core/errors.ts';
import { printable } from '../../core/printable.ts';
import type { OnvifDevice, OnvifStream } from '../../devices/onvif/onvif-device.ts';
import type { DiscoveredDevice } from '../../devices/onvif/ws-discovery.ts';
import { ONVIF_ERRORS } from '../../onvif/errors.ts';

const MAX_TOKEN_CHARS = 40;

/** Facts about one camera. */
export interface FoundCamera {
  readonly found: Omit<DiscoveredDevice, 'addresses'>;
  /** null: it did not say; `failure` is why. */
  readonly device: OnvifDevice | null;
  readonly failure: GatewayError | null;
}

/** A line for the camera and one for each stream, or the reason why it does not say. */
export function describeOnvifCamera({ found, device, failure }: FoundCamera): string {
  const { service, name, hardware } = found;
  if (device === null) {
    const known = [name, hardware].filter((text) => text !== null).join(', ');
    return `${service.href}${known === '' ? '' : `  ${known}`}  ${failureOf(failure)}\n`;
  }
  const model = [device.manufacturer, device.model].filter((text) => text !== null).join(' ');
  const title = [model === '' ? hardware : model, name].filter((text) => text !== null && text !== '');
  const lines = [`${service.href}  ${[...title, ...abilitiesOf(device)].join(', ')}`];
  for (const stream of device.streams) lines.push(`  ${describeStream(stream)}`);
  if (device.streams.length === 0) lines.push('  no streams');
  return `${lines.join('\n')}\n`;
}

/** One line about a service that was asked for its events: `Example Dome 4, 2 streams, events, clock +0.3 s`. */
export function describeOnvifService(device: OnvifDevice): string {
  const model = [device.manufacturer, device.model].filter((text) => text !== null).join(' ');
  const count = device.streams.length;
  const streams = count === 1 ? '1 stream' : `${count === 0 ? 'no' : count} streams`;
  const known = [...(model === '' ? [] : [model]), streams, ...(device.hasEvents ? [] : ['no events'])];
  return [...known, ...abilitiesOf(device)].join(', ');
}

/** `events, PTZ, clock +0.3 s`. */
function abilitiesOf({ hasEvents, hasPtz, clockOffsetMs }: OnvifDevice): string[] {
  const abilities = [...(hasEvents ? ['events'] : []), ...(hasPtz ? ['PTZ'] : [])];
  if (clockOffsetMs === null) return [...abilities, 'clock unknown'];
  const sign = clockOffsetMs < 0 ? '−' : '+';
  return [...abilities, `clock ${sign}${(Math.abs(clockOffsetMs) / 1_000).toFixed(1)} s`];
}

function describeStream({
  profileToken,
  codec,
  widthPx,
  heightPx,
  rtspUrl,
  snapshotUrl,
}: OnvifStream): string {
  const size = widthPx === null || heightPx === null ? [] : [`${widthPx}x${heightPx}`];
  const what = [printable(profileToken, MAX_TOKEN_CHARS), printable(codec ?? '', MAX_TOKEN_CHARS), ...size];
  const snapshot = snapshotUrl === null ? '' : `  snapshot ${snapshotUrl}`;
  return `${what.filter((text) => text !== '').join(' ')}  ${rtspUrl}${snapshot}`;
}

function failureOf(failure: FoundCamera['failure']): string {
  if (failure === null) return '';
  if (failure.code === ONVIF_ERRORS.ONVIF_NOT_AUTHENTICATED.code) {
    return `requires a login: set --user and its password [${failure.code}]`;
  }
  const { reason } = failure.context;
  return `${failure.message}${reason === undefined ? '' : ` ${reason}`} [${failure.code}]`;
}
