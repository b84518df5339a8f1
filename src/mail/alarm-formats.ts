/**
 * Mails for alarm centers, in the forms that their receivers decode.
 *
 * - `IMMIX`: an XML document as the text of the mail, for a device of the type “Generic Stream”. Immix gives each device or input an address,
 *   such as S12345@immixalarms.com. The form is that of the integrations of VCA and Irisity, which publish it: `Input1` is the input's
 *   number, `DateTime` is ISO 8601 in UTC. `EventType` is a word of a list that Immix does not publish; `MotionDetected` and
 *   `ObjectDetected` are those that the integrations send.
 * - `SUREVIEW` (SureView Operations, help.sureviewops.com, “Smtp alarms”): the subject is what operators see; decimal coordinates in the
 *   body put the alarm on the map; each alarm point has an address.
 * - `PLAIN`: the same facts as text.
 *
 * All have the image attached. Pure.
 */

import type { MailContent, MailPicture } from './mail-page.ts';
import { escaped, oneLine } from './plain-text.ts';

export const ALARM_FORMATS = ['PLAIN', 'IMMIX', 'SUREVIEW'] as const;
export type AlarmFormat = (typeof ALARM_FORMATS)[number];

export interface AlarmFacts {
  /** In words. */
  readonly what: string;
  /** Triggers, such as MOTION_HUMAN. */
  readonly kinds: readonly string[];
  readonly atMs: number;
  /** Alarms of this camera in this mail. */
  readonly count: number;
  readonly camera: string;
  /** null: none. */
  readonly site: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** The level of ANSI/TMA-AVS-01, 0 to 4; null: not known. */
  readonly validation: number | null;
  /** The number of the input at the alarm center. */
  readonly input: number;
  /** Where the alarm is in the console. */
  readonly url: string;
  readonly picture: MailPicture | null;
}

/** Kinds that Immix lists as an object, and not as motion. */
const OBJECT = /HUMAN|PERSON|VEHICLE|CAR|FACE|ANIMAL|LICENSE/;

export function alarmMail(format: AlarmFormat, facts: AlarmFacts): MailContent {
  const { what, camera, count, picture } = facts;
  const subject = oneLine(`${what}${count > 1 ? ` (${count})` : ''} - ${camera}`, 150);
  const text = format === 'IMMIX' ? immixXml(facts) : linesOf(facts);
  return { subject, text, html: null, pictures: [], attached: picture === null ? [] : [picture] };
}

function immixXml({ what, kinds, atMs, count, camera, site, validation, input, url }: AlarmFacts): string {
  const extra = [
    what,
    camera,
    ...(count > 1 ? [`${count} alarms`] : []),
    ...(validation === null ? [] : [`AVS-01 level ${validation}`]),
  ].join(', ');
  return [
    '<Alarm>',
    '<VersionInfo>1</VersionInfo>',
    `<Input1>${input}</Input1>`,
    `<EventType>${kinds.some((kind) => OBJECT.test(kind)) ? 'ObjectDetected' : 'MotionDetected'}</EventType>`,
    `<ExtraText>${escaped(extra)}</ExtraText>`,
    `<DateTime>${new Date(atMs).toISOString()}</DateTime>`,
    `<Location>${escaped(site ?? '')}</Location>`,
    `<URL>${escaped(url, Number.POSITIVE_INFINITY)}</URL>`,
    '</Alarm>',
    '',
  ].join('\r\n');
}

function linesOf(facts: AlarmFacts): string {
  const { what, kinds, atMs, count, camera, site, latitude, longitude, validation, input, url } = facts;
  return [
    `Alarm: ${oneLine(what)}`,
    `Camera: ${oneLine(camera)}`,
    `Input: ${input}`,
    ...(site === null ? [] : [`Site: ${oneLine(site)}`]),
    ...(latitude === null || longitude === null ? [] : [`${latitude},${longitude}`]),
    `Time: ${new Date(atMs).toISOString()}`,
    ...(kinds.length === 0 ? [] : [`Kinds: ${oneLine(kinds.join(', '))}`]),
    ...(count > 1 ? [`Alarms of this camera: ${count}`] : []),
    ...(validation === null ? [] : [`AVS-01 level: ${validation}`]),
    `Details: ${url}`,
    '',
  ].join('\r\n');
}
