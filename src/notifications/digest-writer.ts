/** Turns tallies into a mail for one person: what they may see and want at this moment, in their language, with pictures and a link. */

import type { Clock } from '../core/clock.ts';
import { DeadlinePassed } from '../core/deadline.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { cameraPausesOf } from '../events/camera-pauses.ts';
import { mailLanguage } from '../mail/languages.ts';
import type { WrittenMail } from '../mail/mail.ts';
import type { MailLinks } from '../mail/mail-links.ts';
import { type MailPicture, type MailRow, mailContent } from '../mail/mail-page.ts';
import { actWithin } from '../store/acting-view.ts';
import type { StoredEvent } from '../store/event.ts';
import { cameraShownTo } from '../store/privacy-mask.ts';
import type { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import { alertDevice } from './alert-facts.ts';
import { CONNECTED, DISCONNECTED, type DigestTopic, type Tally, totalOf } from './alert-tally.ts';
import { type FactsOfPlace, isWanted } from './digest-wanted.ts';
import { type DigestWords, digestWords } from './digest-words.ts';
import type { MailReader } from './mail-digests.ts';

export interface DigestWriterOptions {
  readonly store: Pick<Store, 'events' | 'cameras' | 'nvrs' | 'locations' | 'resources'>;
  readonly views: Pick<ScopeViews, 'viewOf'>;
  readonly links: MailLinks;
  /** The image of a camera at a moment, without masks, as JPEG; rejects if there is none. Sees what the acting view sees. */
  readonly takePicture: (orgUuid: Ruuid, cameraUuid: Ruuid, atMs: number) => Promise<Buffer>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** Lines of one mail; further devices are counted. */
const MAX_ROWS = 30;
const MAX_PICTURES = 3;
/** A larger picture is left out: mail servers refuse mails of some megabytes. */
export const MAX_PICTURE_BYTES = 200_000;
const MAX_FOUND_TOGETHER = 500;
/** Taken alerts of a device that are looked up; people are notified of further ones. */
const MAX_PAGES_OF_TALLY = 20;

export class DigestWriter {
  readonly #options: DigestWriterOptions;

  constructor(options: DigestWriterOptions) {
    this.#options = options;
  }

  /** null: nothing is left that the person may see and wants. */
  async write(
    reader: MailReader,
    topic: DigestTopic,
    tallies: readonly Tally[],
    { mailUuid, threadUuid }: { readonly mailUuid: Ruuid; readonly threadUuid: Ruuid },
  ): Promise<WrittenMail | null> {
    const { person } = reader;
    const { orgUuid, scope } = person;
    const work = () => this.#within(reader, topic, tallies);
    const written = await (scope === null
      ? work()
      : actWithin(await this.#options.views.viewOf(orgUuid, scope), work));
    if (written === null) return null;
    return { ...written, threadUuid: threadUuid === mailUuid ? null : threadUuid };
  }

  async #within(
    { person, settings }: MailReader,
    topic: DigestTopic,
    given: readonly Tally[],
  ): Promise<WrittenMail | null> {
    const { store, links, clock } = this.#options;
    const { orgUuid } = person;
    const isPaused = topic === 'HEALTH' ? await cameraPausesOf(store, orgUuid) : () => false;
    const nowMs = clock.epochMs();
    const places = await this.#places(orgUuid, given);
    const events = await this.#seen(orgUuid, topic, given);
    const tallies: Tally[] = [];
    for (const tally of given) {
      // Someone may have begun to work on the camera after it was disconnected.
      if (isPaused(tally.deviceUuid, nowMs) || !isWanted(settings, topic, tally, places)) continue;
      if (await this.#isToldOf(orgUuid, tally, events.get(tally.newestId))) tallies.push(tally);
    }
    tallies.sort((a, b) => b.lastAtMs - a.lastAtMs);
    if (tallies.length === 0) return null;
    const language = mailLanguage(settings.language);
    const words = digestWords(language);
    const shown = tallies.slice(0, MAX_ROWS);
    const pictures = new Map<Tally, Promise<MailPicture | null>>();
    const rows: MailRow[] = [];
    for (const tally of shown) {
      const place = tally.locationUuid === null ? undefined : places.get(tally.locationUuid);
      const zone = settings.timeZone ?? place?.tz ?? 'UTC';
      const device = await alertDevice(store, { ...events.get(tally.newestId)!, orgUuid });
      const where = [device?.name ?? words.removedDevice, place?.name].filter((name) => name !== undefined);
      if (topic === 'ALERTS' && device?.isCamera === true && pictures.size < MAX_PICTURES) {
        const camera = await store.cameras.find(orgUuid, tally.deviceUuid);
        // Pictures of the past have no masks.
        if (camera === null || cameraShownTo(person.role, camera) === camera.uuid) {
          const take = () => this.#options.takePicture(orgUuid, tally.deviceUuid, tally.lastAtMs);
          pictures.set(tally, pictureFor(tally.newestId, where.join(' · '), take));
        }
      }
      rows.push(rowOf(topic, tally, words, where, timesIn(language, zone)));
    }
    // All at the same time: the mail waits for the slowest alone.
    const pictured = await Promise.all(
      rows.map(
        async (row, index): Promise<MailRow> => ({
          ...row,
          picture: (await pictures.get(shown[index]!)) ?? null,
        }),
      ),
    );
    const count = totalOf(tallies);
    const devices = new Set(tallies.map(({ deviceUuid }) => deviceUuid)).size;
    const more = tallies.slice(MAX_ROWS);
    const moreDevices = new Set(more.map(({ deviceUuid }) => deviceUuid)).size;
    const isSingle = count === 1 || (topic === 'HEALTH' && devices === 1);
    const newest = rows[0]!;
    return {
      to: { name: person.name, address: person.email },
      unsubscribeUrl: links.unsubscribeUrl(orgUuid, person.uuid),
      extra: { 'X-Sluice-Topic': topic, 'X-Sluice-Count': String(count) },
      content: mailContent({
        language,
        subject: isSingle
          ? `${newest.title} · ${newest.lines[0] ?? ''}`
          : words.subject(topic, count, devices),
        opening: [words.opening(topic, count, devices)],
        rows: pictured,
        closing: more.length === 0 ? [] : [words.more(topic, totalOf(more), moreDevices)],
        button: {
          title: words.show,
          url: links.alertUrl(topic === 'ALERTS' && count === 1 ? tallies[0]!.newestId : null),
        },
        notes: [words.expires, words.why],
        link: { title: words.unsubscribe, url: links.unsubscribeUrl(orgUuid, person.uuid) },
      }),
    };
  }

  /** Whether the person may see it, and an alert of it is left that no one acknowledged or took. */
  async #isToldOf(
    orgUuid: Ruuid,
    { deviceUuid, count, firstAtMs, lastAtMs }: Tally,
    newest: StoredEvent | undefined,
  ): Promise<boolean> {
    if (newest === undefined) return false;
    if (isUntouched(newest)) return true;
    if (count === 1) return false;
    let after: StoredEvent | null = null;
    for (let page = 0; page < MAX_PAGES_OF_TALLY; page += 1) {
      const open: StoredEvent[] = await this.#options.store.events.page(orgUuid, {
        kind: 'policyAlert',
        deviceUuid,
        isOpen: true,
        fromMs: firstAtMs,
        toMs: lastAtMs + 1,
        order: 'newest-first',
        after,
        limit: MAX_FOUND_TOGETHER,
      });
      if (open.some(isUntouched)) return true;
      if (open.length < MAX_FOUND_TOGETHER) return false;
      after = open.at(-1)!;
    }
    return true;
  }

  async #places(orgUuid: Ruuid, tallies: readonly Tally[]): Promise<FactsOfPlace> {
    const uuids = new Set(tallies.flatMap(({ locationUuid }) => locationUuid ?? []));
    const found = await Promise.all(
      [...uuids].map((uuid) => this.#options.store.locations.find(orgUuid, uuid)),
    );
    return new Map(found.filter((place) => place !== null).map((place) => [place.uuid, place]));
  }

  /** The newest event of each tally, by ID, as far as the person may see it. */
  async #seen(
    orgUuid: Ruuid,
    topic: DigestTopic,
    tallies: readonly Tally[],
  ): Promise<ReadonlyMap<string, StoredEvent>> {
    const kind = topic === 'ALERTS' ? 'policyAlert' : 'deviceHealth';
    const ids = tallies.map(({ newestId }) => newestId);
    const seen = new Map<string, StoredEvent>();
    for (let start = 0; start < ids.length; start += MAX_FOUND_TOGETHER) {
      const found = await this.#options.store.events.findAll(
        orgUuid,
        kind,
        ids.slice(start, start + MAX_FOUND_TOGETHER),
      );
      for (const event of found) seen.set(event.id, event);
    }
    return seen;
  }
}

/** null: there is none, or it is too large. The mail does not wait for a better one. */
export async function pictureFor(
  alertId: string,
  alt: string,
  take: () => Promise<Buffer>,
): Promise<MailPicture | null> {
  try {
    const jpeg = await take();
    return jpeg.length > MAX_PICTURE_BYTES ? null : { cid: `${alertId}@sluice`, jpeg, alt };
  } catch (thrown) {
    // A camera that is offline or was not recorded then, or one that takes too long.
    if (thrown instanceof GatewayError || thrown instanceof DeadlinePassed) return null;
    throw thrown;
  }
}

/** Someone who acknowledged an alert, or is on it, knows of it. */
function isUntouched({ acknowledgement, taking }: StoredEvent): boolean {
  return acknowledgement === undefined && taking === undefined;
}

type Times = (epochMs: number) => string;

function timesIn(language: string, timeZone: string): Times {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
  return (epochMs) => format.format(epochMs);
}

function rowOf(
  topic: DigestTopic,
  { kinds, count, firstAtMs, lastAtMs, text, validation }: Tally,
  words: DigestWords,
  where: readonly string[],
  time: Times,
): MailRow {
  const place = where.join(' · ');
  if (topic === 'HEALTH') {
    const since = time(lastAtMs);
    const [kind = DISCONNECTED] = kinds;
    const state =
      kind === CONNECTED
        ? words.online(since)
        : kind === DISCONNECTED
          ? words.offline(since)
          : words.problem(wordsOf(kind), since);
    return { title: place, lines: [state] };
  }
  const times = count === 1 ? time(lastAtMs) : words.between(time(firstAtMs), time(lastAtMs));
  return {
    title: text || kinds.map(wordsOf).join(', ') || words.alert,
    lines: [
      place,
      count === 1 ? times : `${words.counted(count)}, ${times}`,
      ...(validation === null ? [] : [words.validation(validation)]),
    ],
  };
}

/** `MOTION_HUMAN`: `Motion human`. */
export function wordsOf(trigger: string): string {
  const text = trigger.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
