/**
 * Mails people of alerts and of devices that go offline. What happened waits in the store as tallies, one row for each person and report,
 * and a mail of the outbox gathers them when it is due (digest-windows.ts). What a person may see, and wants to be told, is decided when the
 * mail is sent.
 */

import type { NotificationSettings, NotificationSettingsService } from '../accounts/notification-settings.ts';
import type { Clock } from '../core/clock.ts';
import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { isPassing } from '../events/event-effects.ts';
import type { Mail, MailRequest, WrittenMail } from '../mail/mail.ts';
import { isMailAddress } from '../mail/mail-address.ts';
import type { MailOutbox } from '../mail/mail-outbox.ts';
import type { StoredEvent } from '../store/event.ts';
import type { Person } from '../store/person.ts';
import { type Resource, type ResourceRepository, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { type DigestTopic, digestTopicOf, merged, type Tally, tallyOf } from './alert-tally.ts';
import { type FactsOfPlace, isWanted } from './digest-wanted.ts';
import { type DigestState, nextDigest, taken } from './digest-windows.ts';
import { wantsMail } from './notice-rules.ts';

/** Reports of the past, such as after an outage, are in the list and in no mail. */
const MAX_AGE_MS = 60 * 60_000;
/** More in one transaction would delay everyone else's. */
const MAX_SAVED_TOGETHER = 500;

/** The parent is the person. */
interface WaitingBody {
  readonly topic: DigestTopic;
  readonly tallies: readonly Tally[];
  /** The mail that has these; null: they wait for one. */
  readonly mailUuid: Ruuid | null;
  /** The rows that it took: they count here, also if they are not removed yet. */
  readonly sources: readonly Ruuid[];
}

interface DigestBody extends DigestState {
  readonly topic: DigestTopic;
}

export interface DigestRequest extends MailRequest {
  readonly writer: 'digest';
  readonly topic: DigestTopic;
  readonly personUuid: Ruuid;
  readonly sequence: number;
}

/** Someone who may get a mail, and how. */
export interface MailReader {
  readonly person: Person & { readonly email: string };
  readonly settings: NotificationSettings;
}

export interface MailDigestsOptions {
  readonly store: Pick<Store, 'resources' | 'people' | 'locations'>;
  readonly outbox: MailOutbox;
  /** Whether there is a mail server. */
  readonly isSetUp: () => boolean;
  readonly settings: Pick<NotificationSettingsService, 'find' | 'ofOrganization'>;
  /** The mail in words, for what the person may see and wants now; null: nothing is left. */
  readonly write: (
    reader: MailReader,
    topic: DigestTopic,
    tallies: readonly Tally[],
    thread: { readonly mailUuid: Ruuid; readonly threadUuid: Ruuid },
  ) => Promise<WrittenMail | null>;
  readonly clock: Clock;
  readonly log: Log;
}

export class MailDigests {
  readonly #options: MailDigestsOptions;
  readonly #waiting: ResourceRepository<WaitingBody>;
  readonly #digests: ResourceRepository<DigestBody>;

  constructor(options: MailDigestsOptions) {
    this.#options = options;
    this.#waiting = options.store.resources.of(resourceKind<WaitingBody>('waitingMail'));
    this.#digests = options.store.resources.of(resourceKind<DigestBody>('mailDigest'));
    options.outbox.writeWith<DigestRequest>('digest', (mail, request) => this.#write(mail, request));
  }

  /** An effect of reported events. Everything is in the store when it resolves. */
  async onEvents(events: readonly StoredEvent[]): Promise<void> {
    if (!this.#options.isSetUp()) return;
    const oldestMs = this.#options.clock.epochMs() - MAX_AGE_MS;
    const told = events.filter((event) => event.atMs >= oldestMs && digestTopicOf(event) !== null);
    for (const group of Map.groupBy(told, (event) => `${event.orgUuid} ${digestTopicOf(event)}`).values()) {
      const { orgUuid } = group[0]!;
      try {
        await this.#queue(orgUuid, digestTopicOf(group[0]!)!, group);
      } catch (thrown) {
        if (isPassing(thrown)) throw thrown;
        this.#options.log.error({ err: toGatewayError(thrown), orgUuid }, 'mails not queued');
      }
    }
  }

  async #queue(orgUuid: Ruuid, topic: DigestTopic, events: readonly StoredEvent[]): Promise<void> {
    const { clock } = this.#options;
    const nowMs = clock.epochMs();
    const readers = await this.#readers(orgUuid);
    if (readers.length === 0) return;
    const places = await this.#places(orgUuid, events);
    const tallies = merged(
      topic,
      events.map((event) => tallyOf(event, nowMs)),
    );
    const ids = events.map(({ kind, id }) => `${kind}\0${id}`).join('\0');
    const rows = readers.flatMap(({ person, settings }) => {
      const wanted = tallies.filter((tally) => isWanted(settings, topic, tally, places));
      if (wanted.length === 0) return [];
      const row: Resource<WaitingBody> = {
        // A report that takes effect twice waits once.
        uuid: deriveRuuid('waiting mail', `${person.uuid}\0${topic}\0${ids}`),
        orgUuid,
        name: '',
        parentUuid: person.uuid,
        body: { topic, tallies: wanted, mailUuid: null, sources: [] },
        secret: null,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      };
      return [row];
    });
    for (let start = 0; start < rows.length; start += MAX_SAVED_TOGETHER) {
      await this.#waiting.saveAll(rows.slice(start, start + MAX_SAVED_TOGETHER));
    }
    for (const { parentUuid } of rows) await this.#open(orgUuid, parentUuid!, topic);
  }

  /** Sees to it that a mail will gather what the person has waiting. */
  async #open(orgUuid: Ruuid, personUuid: Ruuid, topic: DigestTopic): Promise<void> {
    const { outbox, clock } = this.#options;
    const uuid = digestUuid(personUuid, topic);
    const nowMs = clock.epochMs();
    const known = await this.#digests.find(orgUuid, uuid);
    const isGathering = known !== null && (await this.#isGathering(known, personUuid));
    let dueAtMs = nowMs;
    const decide = (stored: Resource<DigestBody> | null): Resource<DigestBody> | 'unchanged' => {
      const isAsRead = stored?.body.sequence === known?.body.sequence;
      if (stored !== null && !stored.body.isTaken && (isGathering || !isAsRead)) return 'unchanged';
      const next = nextDigest(topic, stored?.body ?? null, nowMs, (sequence) =>
        mailUuidOf(personUuid, topic, sequence),
      );
      const { dueAtMs: due, ...state } = next;
      dueAtMs = due;
      return digestRow(orgUuid, personUuid, { ...state, topic }, nowMs);
    };
    const after = isGathering ? known : (await this.#digests.change(orgUuid, uuid, decide)).after;
    const { sequence } = after!.body;
    // Also if it is known: the gateway may have ended between the two.
    await outbox.add<DigestRequest>({
      uuid: mailUuidOf(personUuid, topic, sequence),
      orgUuid,
      topic,
      forUuid: personUuid,
      to: '',
      request: { writer: 'digest', topic, personUuid, sequence },
      atMs: dueAtMs,
    });
  }

  /** Whether the last mail will have what waits now. Not one that was refused a place in the queue. */
  async #isGathering({ orgUuid, body }: Resource<DigestBody>, personUuid: Ruuid): Promise<boolean> {
    if (body.isTaken) return false;
    const mail = await this.#options.outbox.find(orgUuid, mailUuidOf(personUuid, body.topic, body.sequence));
    return mail === null || mail.body.state === 'PENDING';
  }

  async #write(mail: Mail, { topic, personUuid, sequence }: DigestRequest): Promise<WrittenMail | null> {
    const { store, settings, write } = this.#options;
    const { orgUuid, uuid: mailUuid } = mail;
    const person = await store.people.find(orgUuid, personUuid);
    if (person === null) return null;
    const threadUuid = await this.#take(orgUuid, personUuid, topic, sequence);
    const tallies = await this.#gathered(orgUuid, personUuid, topic, mailUuid);
    const reader = readerOf(person, await settings.find(orgUuid, personUuid));
    if (reader === null || tallies.length === 0) return null;
    return write(reader, topic, tallies, { mailUuid, threadUuid: threadUuid ?? mailUuid });
  }

  /** What is queued from now on is for the next mail. Resolves with the first mail of the thread. */
  async #take(
    orgUuid: Ruuid,
    personUuid: Ruuid,
    topic: DigestTopic,
    sequence: number,
  ): Promise<Ruuid | null> {
    const nowMs = this.#options.clock.epochMs();
    const { after } = await this.#digests.change(orgUuid, digestUuid(personUuid, topic), (known) =>
      known === null || known.body.isTaken || known.body.sequence !== sequence
        ? 'unchanged'
        : digestRow(orgUuid, personUuid, { ...taken(known.body, nowMs), topic }, nowMs),
    );
    return after?.body.threadUuid ?? null;
  }

  /** The mail's own tallies: those that waited when it was first written, and those of mails that came to nothing. */
  async #gathered(
    orgUuid: Ruuid,
    personUuid: Ruuid,
    topic: DigestTopic,
    mailUuid: Ruuid,
  ): Promise<readonly Tally[]> {
    const all = await this.#waiting.listByParent(orgUuid, personUuid);
    const ofTopic = all.filter(({ body }) => body.topic === topic);
    const known = ofTopic.find(({ body }) => body.mailUuid === mailUuid);
    const row = known ?? (await this.#gather(orgUuid, personUuid, topic, mailUuid, ofTopic));
    const sources = new Set(row.body.sources);
    for (const { uuid } of ofTopic) if (sources.has(uuid)) await this.#waiting.remove(orgUuid, uuid);
    return row.body.tallies;
  }

  async #gather(
    orgUuid: Ruuid,
    personUuid: Ruuid,
    topic: DigestTopic,
    mailUuid: Ruuid,
    rows: readonly Resource<WaitingBody>[],
  ): Promise<Resource<WaitingBody>> {
    const { outbox, clock } = this.#options;
    const gone = new Set<Ruuid>();
    const kept: Resource<WaitingBody>[] = [];
    for (const row of rows) {
      const { mailUuid: earlier, sources } = row.body;
      for (const source of sources) gone.add(source);
      if (earlier === null) kept.push(row);
      else {
        const state = (await outbox.find(orgUuid, earlier))?.body.state ?? 'DELIVERED';
        if (state === 'FAILED') kept.push(row);
        else if (state === 'DELIVERED') await this.#waiting.remove(orgUuid, row.uuid);
      }
    }
    const taking = kept.filter(({ uuid }) => !gone.has(uuid));
    const nowMs = clock.epochMs();
    const row: Resource<WaitingBody> = {
      uuid: deriveRuuid('gathered mail', mailUuid),
      orgUuid,
      name: '',
      parentUuid: personUuid,
      body: {
        topic,
        tallies: merged(
          topic,
          taking.flatMap(({ body }) => body.tallies),
        ),
        mailUuid,
        sources: taking.map(({ uuid }) => uuid),
      },
      secret: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#waiting.save(row);
    return row;
  }

  async #readers(orgUuid: Ruuid): Promise<readonly MailReader[]> {
    const { store, settings } = this.#options;
    const all = await settings.ofOrganization(orgUuid);
    const wanting = Array.from(all).filter(([, given]) => wantsMail(given));
    if (wanting.length === 0) return [];
    const people = new Map((await store.people.list(orgUuid)).map((person) => [person.uuid, person]));
    return wanting.flatMap(([uuid, given]) => {
      const person = people.get(uuid);
      const reader = person === undefined ? null : readerOf(person, given);
      return reader === null ? [] : [reader];
    });
  }

  async #places(orgUuid: Ruuid, events: readonly StoredEvent[]): Promise<FactsOfPlace> {
    const uuids = new Set(
      events.flatMap(({ locationUuid }) => (locationUuid === undefined ? [] : [locationUuid])),
    );
    const found = await Promise.all(
      [...uuids].map((uuid) => this.#options.store.locations.find(orgUuid, uuid)),
    );
    return new Map(found.filter((place) => place !== null).map((place) => [place.uuid, place]));
  }
}

/** null: no mail can go to the person, or they want none. */
export function readerOf(person: Person, settings: NotificationSettings): MailReader | null {
  const { email, disabled } = person;
  if (disabled || email === null || !isMailAddress(email) || !wantsMail(settings)) return null;
  return { person: { ...person, email }, settings };
}

function digestUuid(personUuid: Ruuid, topic: DigestTopic): Ruuid {
  return deriveRuuid('mail digest', `${personUuid}\0${topic}`);
}

function mailUuidOf(personUuid: Ruuid, topic: DigestTopic, sequence: number): Ruuid {
  return deriveRuuid('digest mail', `${personUuid}\0${topic}\0${sequence}`);
}

function digestRow(orgUuid: Ruuid, personUuid: Ruuid, body: DigestBody, nowMs: number): Resource<DigestBody> {
  const uuid = digestUuid(personUuid, body.topic);
  return {
    uuid,
    orgUuid,
    name: '',
    parentUuid: personUuid,
    body,
    secret: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}
