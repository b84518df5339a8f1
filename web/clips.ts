/** The page of a link to shared clips, timelapses, or a case (docs/design/viewer-page.md#shared-clips). */

import { CaseView } from './case-view.ts';
import { ClipPlayer } from './clip-player.ts';
import { ClipRow } from './clip-row.ts';
import { type OpenGroup, openGroup, readGroup, type SharedClip } from './clips-open.ts';
import { clipsCard, clipTitle, groupTitle, type SharedKind, summaryText } from './clips-text.ts';
import { element, setText } from './dom.ts';
import { gatewayEpochMs, LONGEST_TIMER_MS, type Refusal, retryWaitMs } from './open.ts';
import { lockCountdown, Panel, retryCountdown } from './panel.ts';
import { obstacleCard } from './wording.ts';
import { wordPage } from './words/page-words.ts';
import { t } from './words/plain-words.ts';

/** How often the page reads the list: while a clip is being made, while one plays, and otherwise. */
const MAKING_INTERVAL_MS = 1_000;
const PLAYING_INTERVAL_MS = 5_000;
const LOOK_INTERVAL_MS = 15_000;
/** A page in the background shows nothing to anyone. */
const HIDDEN_INTERVAL_MS = 60_000;

class ClipsPage {
  readonly #title = element('title', HTMLElement);
  readonly #description = element('description', HTMLElement);
  readonly #summary = element('summary', HTMLElement);
  readonly #all = element('download-all', HTMLAnchorElement);
  readonly #body = element('body', HTMLElement);
  readonly #list = element('list', HTMLElement);
  readonly #template = element('clip', HTMLTemplateElement);
  readonly #panel = new Panel({
    openText: t('Open'),
    onRetry: () => this.#retryNow(),
    onBigPlay: () => undefined,
    onPassword: (password) => void this.#open(password),
  });
  readonly #player = new ClipPlayer({ onTrouble: () => this.#lookNow() });
  readonly #case = new CaseView();
  readonly #rows = new Map<string, ClipRow>();
  #group: OpenGroup | null = null;
  #kind: SharedKind = 'unknown';
  #itemsUrl: string | null = null;
  #password: string | null = null;
  #failuresInRow = 0;
  #timer: number | undefined;
  #next: () => void = () => undefined;
  /** Raised by every change of course: responses to earlier requests are ignored. */
  #course = 0;

  run(): void {
    addEventListener('online', () => this.#retryNow());
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.#retryNow();
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#retryNow();
    });
    this.#panel.showStage({ kind: 'loading', title: t('Connecting…') });
    void this.#open(null);
  }

  async #open(password: string | null): Promise<void> {
    const course = this.#newCourse();
    const opening = await openGroup(password);
    if (course !== this.#course) return;
    if (opening.kind === 'open') {
      this.#password = password;
      this.#itemsUrl = opening.itemsUrl;
      this.#panel.clearPassword();
      await this.#look();
    } else if (opening.kind === 'refused') this.#showRefusal(opening.refusal);
    else if (password !== null && this.#group === null) this.#panel.showPassword({ kind: 'unreachable' });
    else this.#showObstacle(() => void this.#open(password));
  }

  /** Asks the gateway what the link shows now. Until the response, the page stays as it is. */
  async #look(): Promise<void> {
    if (this.#itemsUrl === null) return this.#open(this.#password);
    const course = this.#newCourse();
    const result = await readGroup(this.#itemsUrl);
    if (course !== this.#course) return;
    if (result.kind === 'shown') {
      this.#failuresInRow = 0;
      this.#show(result.group);
      this.#later(this.#lookDelayMs(result.group), () => void this.#look());
    } else if (result.kind === 'refused') this.#showRefusal(result.refusal);
    else if (this.#group === null) this.#showObstacle(() => void this.#look());
    // A clip that plays, plays on.
    else this.#later(this.#nextWaitMs(null), () => void this.#look());
  }

  #show(group: OpenGroup): void {
    this.#kind = group.ofCase === null ? 'clips' : 'case';
    const isFirst = this.#group === null;
    this.#group = group;
    setText(this.#title, groupTitle(group));
    document.title = groupTitle(group);
    setText(this.#description, group.description);
    setText(this.#summary, summaryText(group));
    if (group.ofCase === null) this.#case.hide();
    else this.#case.show(group.ofCase.sealed);
    const chosen = group.clips.find(({ id }) => id === this.#player.clip?.id);
    if (chosen?.state === 'ready') this.#player.update(chosen);
    else {
      this.#player.clear();
      const first = group.clips.find(({ state }) => state === 'ready');
      if (first !== undefined) this.#player.choose(first, false);
    }
    this.#showList();
    if (isFirst || document.body.dataset.view !== 'video') this.#panel.showStage({ kind: 'none' });
  }

  #showList(): void {
    const clips = this.#group?.clips ?? [];
    const ids = new Set(clips.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      row.root.remove();
      this.#rows.delete(id);
    }
    for (const [index, clip] of clips.entries()) {
      const row = this.#rowOf(clip);
      row.show(clip, clip.id === this.#player.clip?.id);
      if (this.#list.children[index] !== row.root) {
        this.#list.insertBefore(row.root, this.#list.children[index] ?? null);
      }
    }
    const files = clips.reduce((count, clip) => count + clip.files.length, 0);
    this.#all.hidden = files < 2 || this.#itemsUrl === null;
    if (this.#itemsUrl !== null) this.#all.href = new URL('case.zip', this.#itemsUrl).href;
    this.#body.dataset.player = String(this.#player.clip !== null);
    const isAlone = clips.length === 1 && this.#player.clip !== null;
    this.#list.hidden = isAlone || clips.length === 0;
  }

  #rowOf({ id }: SharedClip): ClipRow {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = new ClipRow(this.#template, (clip) => this.#choose(clip));
    this.#rows.set(id, row);
    return row;
  }

  #choose(clip: SharedClip): void {
    this.#player.choose(clip, true);
    this.#showList();
    this.#player.focus();
    this.#panel.say(t('Playing {clip}', { clip: clipTitle(clip) }));
    this.#later(PLAYING_INTERVAL_MS, () => void this.#look());
  }

  #showRefusal(refusal: Refusal): void {
    switch (refusal.reason) {
      case 'grant-expired':
        // Playback continues while the page opens the link again.
        this.#later(
          this.#failuresInRow === 0 ? 0 : this.#nextWaitMs(null),
          () => void this.#open(this.#password),
        );
        this.#failuresInRow++;
        return;
      case 'too-many-opens':
      case 'busy':
      case 'restarting': {
        const waitMs = this.#nextWaitMs(refusal.retryAfterSec);
        this.#later(waitMs, () => void this.#look());
        if (this.#group !== null) return;
        this.#panel.showCard(clipsCard(refusal, gatewayEpochMs(), this.#kind), retryCountdown(waitMs));
        return;
      }
    }
    this.#leaveNothing();
    switch (refusal.reason) {
      case 'password-needed': {
        // After a change of the password, the page tries the typed password once.
        const password = this.#password;
        this.#password = null;
        if (password === null) this.#panel.showPassword({ kind: 'none' });
        else void this.#open(password);
        break;
      }
      case 'password-wrong':
        this.#panel.showPassword({ kind: 'wrong' });
        break;
      case 'too-many-attempts': {
        this.#panel.showPassword({ kind: 'locked', countdown: lockCountdown(refusal) });
        break;
      }
      case 'viewer-limit': {
        const waitMs = this.#nextWaitMs(refusal.retryAfterSec);
        this.#panel.showCard(clipsCard(refusal, gatewayEpochMs(), this.#kind), retryCountdown(waitMs));
        this.#later(waitMs, () => void this.#look());
        break;
      }
      default:
        this.#panel.showCard(clipsCard(refusal, gatewayEpochMs(), this.#kind), null);
        // For the card's button, and for a page that is looked at again.
        this.#next = () => void this.#open(this.#password);
    }
  }

  #showObstacle(again: () => void): void {
    const waitMs = this.#nextWaitMs(null);
    this.#later(waitMs, again);
    if (this.#group === null) this.#panel.showCard(obstacleCard('unreachable'), retryCountdown(waitMs));
  }

  /** No video, no image, no title. */
  #leaveNothing(): void {
    this.#group = null;
    this.#itemsUrl = null;
    this.#player.clear();
    this.#case.hide();
    this.#showList();
    for (const node of [this.#title, this.#description, this.#summary]) setText(node, '');
    document.title = t('Shared clips');
  }

  #lookDelayMs({ clips, ofCase }: OpenGroup): number {
    if (document.visibilityState !== 'visible') return HIDDEN_INTERVAL_MS;
    if (clips.some(({ state }) => state === 'making')) return MAKING_INTERVAL_MS;
    if (ofCase !== null) return ofCase.sealed === null ? MAKING_INTERVAL_MS : PLAYING_INTERVAL_MS;
    return this.#player.isPlaying ? PLAYING_INTERVAL_MS : LOOK_INTERVAL_MS;
  }

  #lookNow(): void {
    this.#later(0, () => void this.#look());
  }

  #newCourse(): number {
    clearTimeout(this.#timer);
    this.#next = () => undefined;
    return ++this.#course;
  }

  #later(waitMs: number, next: () => void): void {
    clearTimeout(this.#timer);
    this.#next = next;
    this.#timer = setTimeout(() => this.#retryNow(), Math.min(waitMs, LONGEST_TIMER_MS));
  }

  #retryNow(): void {
    const next = this.#next;
    clearTimeout(this.#timer);
    this.#next = () => undefined;
    next();
  }

  #nextWaitMs(retryAfterSec: number | null): number {
    return retryWaitMs(this.#failuresInRow++, retryAfterSec);
  }
}

await wordPage();
new ClipsPage().run();
