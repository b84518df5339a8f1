/**
 * Everything the page shows besides moving video: the notice over the stage, the card in place of it, the password form,
 * and the words for screen readers. It only displays its arguments and holds no state of the share.
 */

import { element, setText } from './dom.ts';
import { quietMs, silentMs } from './gateway-silence.ts';
import { gatewayEpochMs, type Refusal } from './open.ts';
import { type CardText, formatRemaining, lastPictureText, silenceText, tryingText } from './wording.ts';
import { t } from './words/plain-words.ts';

export type StageNotice =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading'; readonly title: string }
  /** The video is waiting for the network: shown if it lasts, and not announced. */
  | { readonly kind: 'buffering' }
  | { readonly kind: 'blocked' }
  /** The stream is lost, with the camera (`offline`) or with the network; the frame that remains is not live. */
  | LossNotice;

interface LossNotice {
  readonly kind: 'offline' | 'reconnecting';
  readonly title: string;
  /** When the remaining frame was taken; null if there is none. */
  readonly lastPictureEpochMs: number | null;
  readonly nowEpochMs: number;
  /** On the clock of `Date.now`. */
  readonly retryAtMs: number;
}

/** Text on a card or in the form that changes with time. */
export interface Countdown {
  text(): string;
  isOver(): boolean;
}

/** Counts down to `untilMs` of the clock `now`. */
function countdownTo(text: (time: string) => string, untilMs: number, now: () => number): Countdown {
  return {
    text: () => text(formatRemaining(untilMs - now())),
    isOver: () => untilMs <= now(),
  };
}

/** Until a schedule shows the link, by the gateway's clock; null: unknown. */
export function openingCountdown(untilEpochMs: number | null): Countdown | null {
  if (untilEpochMs === null) return null;
  return countdownTo((time) => t('Starts in {time}', { time }), untilEpochMs, gatewayEpochMs);
}

/** Until the page tries again, `waitMs` from now, on this machine's clock. */
export function retryCountdown(waitMs: number): Countdown {
  const untilMs = Date.now() + waitMs;
  const leftMs = () => untilMs - Date.now();
  return { text: () => tryingText(silentMs(), leftMs()), isOver: () => leftMs() <= 0 };
}

/** For how long the gateway has answered nothing. */
export function unresponseTime(): Countdown {
  return { text: () => silenceText(quietMs()), isOver: () => false };
}

/** Until a password may be tried again. */
export function lockCountdown({ retryAfterSec }: Pick<Refusal, 'retryAfterSec'>): Countdown {
  const untilMs = Date.now() + (retryAfterSec ?? LOCK_DEFAULT_SEC) * 1_000;
  return countdownTo((time) => t('Too many tries. Try again in {time}', { time }), untilMs, Date.now);
}

export type PasswordProblem =
  | { readonly kind: 'none' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'locked'; readonly countdown: Countdown };

export interface PanelEvents {
  /** Text of the password form's button; default: “Watch live”. */
  readonly openText?: string;
  onRetry(): void;
  onBigPlay(): void;
  onPassword(password: string): void;
}

const TICK_INTERVAL_MS = 250;
const LOCK_DEFAULT_SEC = 30;

export class Panel {
  readonly #events: PanelEvents;
  readonly #stage = element('stage', HTMLElement);
  readonly #notice = element('notice', HTMLElement);
  readonly #noticeTitle = element('notice-title', HTMLElement);
  readonly #noticeLast = element('notice-last', HTMLElement);
  readonly #noticeText = element('notice-text', HTMLElement);
  readonly #noticeRetry = element('notice-retry', HTMLButtonElement);
  readonly #bigPlay = element('big-play', HTMLButtonElement);
  readonly #card = element('message', HTMLElement);
  readonly #cardTitle = element('message-title', HTMLElement);
  readonly #cardText = element('message-text', HTMLElement);
  readonly #cardCountdown = element('message-countdown', HTMLElement);
  readonly #cardRetry = element('message-retry', HTMLButtonElement);
  readonly #form = element('password-form', HTMLFormElement);
  readonly #password = element('password', HTMLInputElement);
  readonly #passwordError = element('password-error', HTMLElement);
  readonly #submit = element('password-submit', HTMLButtonElement);
  readonly #reveal = element('reveal', HTMLButtonElement);
  readonly #announce = element('announce', HTMLElement);
  #tick: () => void = () => undefined;
  #cardLink: HTMLAnchorElement | null = null;
  #isLocked = false;
  #isAsking = false;

  constructor(events: PanelEvents) {
    this.#events = events;
    this.#noticeRetry.addEventListener('click', () => events.onRetry());
    this.#cardRetry.addEventListener('click', () => events.onRetry());
    this.#bigPlay.addEventListener('click', () => events.onBigPlay());
    this.#reveal.addEventListener('click', () => this.#setRevealed(this.#password.type === 'password'));
    this.#password.addEventListener('focus', () => selectAll(this.#password));
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submitPassword();
    });
    setInterval(() => this.#tick(), TICK_INTERVAL_MS);
  }

  /** Shows the stage with `notice` over it. */
  showStage(notice: StageNotice): void {
    const focused = document.activeElement;
    const loss = notice.kind === 'offline' || notice.kind === 'reconnecting' ? notice : null;
    this.#show('video');
    this.#stage.dataset.dimmed = String(loss !== null);
    this.#notice.dataset.kind = notice.kind;
    this.#bigPlay.hidden = notice.kind !== 'blocked';
    this.#noticeRetry.hidden = loss === null;
    setText(this.#noticeTitle, noticeTitle(notice));
    setText(this.#noticeLast, loss === null ? '' : lastPicture(loss));
    setText(this.#noticeText, '');
    if (loss !== null) this.#countDownNotice(loss.retryAtMs);
    if (notice.kind === 'blocked') focusGently(this.#bigPlay);
    else if (focused !== null && isGone(focused)) focusGently(this.#stage);
    const title = noticeTitle(notice);
    if (loss !== null) this.say([title, lastPicture(loss)].filter((text) => text !== '').join('. '));
    else if (title !== '') this.say(title);
  }

  /** Shows a card in place of the stage. `countdown`: null if there is nothing to wait for. */
  showCard(card: CardText, countdown: Countdown | null): void {
    const isOther = this.#card.hidden || this.#cardTitle.textContent !== card.title;
    const hadFocus = document.activeElement !== null && document.activeElement !== document.body;
    this.#show('card');
    this.#card.hidden = false;
    this.setAsking(false);
    this.#card.dataset.icon = card.icon;
    setText(this.#cardTitle, card.title);
    setText(this.#cardText, card.text);
    this.#cardCountdown.hidden = countdown === null;
    this.#cardRetry.hidden = !card.canRetry;
    this.#setCardLink(card.link);
    if (countdown !== null) this.#countDown(this.#cardCountdown, countdown, () => undefined);
    if (!isOther) return;
    this.say(`${card.title}. ${card.text}`);
    if (hadFocus) focusGently(this.#cardTitle);
  }

  #setCardLink(link: CardText['link']): void {
    this.#cardLink?.remove();
    this.#cardLink = null;
    if (link === undefined) return;
    const anchor = document.createElement('a');
    anchor.className = 'button primary';
    anchor.href = link.url;
    anchor.textContent = link.text;
    anchor.rel = 'noopener';
    if (link.isNewWindow) anchor.target = '_blank';
    this.#cardRetry.before(anchor);
    this.#cardLink = anchor;
  }

  /** Shows the password form. The typed password stays, selected, so that it can be corrected or replaced. */
  showPassword(problem: PasswordProblem): void {
    const isOther = this.#form.hidden;
    this.#show('card');
    this.#form.hidden = false;
    this.setAsking(false);
    this.#isLocked = problem.kind === 'locked';
    this.#submit.setAttribute('aria-disabled', String(this.#isLocked));
    this.#password.setAttribute('aria-invalid', String(problem.kind === 'wrong' || problem.kind === 'empty'));
    setText(this.#passwordError, problemText(problem));
    if (problem.kind === 'locked') {
      this.#countDown(this.#passwordError, problem.countdown, () => this.showPassword({ kind: 'none' }));
    }
    this.say(
      problem.kind === 'none' && isOther ? t('Password required') : (this.#passwordError.textContent ?? ''),
    );
    if (problem.kind !== 'none' || isOther) {
      focusGently(this.#password);
      this.#password.select();
    }
  }

  /** While the page asks the gateway again. The buttons keep the focus, so they are not disabled. */
  setAsking(isAsking: boolean): void {
    this.#isAsking = isAsking;
    this.#submit.setAttribute('aria-disabled', String(isAsking));
    setText(this.#submit, isAsking ? t('Checking…') : (this.#events.openText ?? t('Watch live')));
    setText(this.#cardRetry, isAsking ? t('Checking…') : t('Try again'));
  }

  /** Announces a text to screen readers, once they have finished the previous one. */
  say(text: string): void {
    setText(this.#announce, text);
  }

  /** Forgets the typed password once it has been used. */
  clearPassword(): void {
    this.#password.value = '';
    this.#setRevealed(false);
  }

  #submitPassword(): void {
    if (this.#isLocked || this.#isAsking) return;
    const password = this.#password.value;
    if (password === '') {
      this.showPassword({ kind: 'empty' });
      return;
    }
    this.setAsking(true);
    this.#events.onPassword(password);
  }

  #setRevealed(isRevealed: boolean): void {
    this.#password.type = isRevealed ? 'text' : 'password';
    this.#reveal.setAttribute('aria-pressed', String(isRevealed));
  }

  #show(view: 'video' | 'card'): void {
    document.body.dataset.view = view;
    this.#card.hidden = true;
    this.#form.hidden = true;
    this.#tick = () => undefined;
  }

  #countDown(node: HTMLElement, countdown: Countdown, onZero: () => void): void {
    this.#tick = () => {
      setText(node, countdown.text());
      if (countdown.isOver()) onZero();
    };
    this.#tick();
  }

  #countDownNotice(retryAtMs: number): void {
    this.#tick = () => {
      setText(this.#noticeText, tryingText(silentMs(), retryAtMs - Date.now()));
    };
    this.#tick();
  }
}

/**
 * Whether the focused element is hidden: browsers then move the focus to the body, where keys and readers are
 * lost.
 */
function isGone(node: Element): boolean {
  return node !== document.body && node.getClientRects().length === 0;
}

function lastPicture({ lastPictureEpochMs, nowEpochMs }: LossNotice): string {
  return lastPictureEpochMs === null ? '' : lastPictureText(lastPictureEpochMs, nowEpochMs);
}

/** Typing replaces a password that cannot be read. The end of the press that focused the field would put the caret there. */
function selectAll(field: HTMLInputElement): void {
  field.select();
  const keep = (event: Event): void => event.preventDefault();
  field.addEventListener('mouseup', keep, { once: true });
  field.addEventListener('keydown', () => field.removeEventListener('mouseup', keep), { once: true });
}

/** A page in a frame does not take the focus from the page around it. */
function focusGently(node: HTMLElement): void {
  if (document.hasFocus()) node.focus({ preventScroll: true });
}

function noticeTitle(notice: StageNotice): string {
  switch (notice.kind) {
    case 'none':
    case 'buffering':
      return '';
    case 'blocked':
      return t('Tap to play');
    default:
      return notice.title;
  }
}

function problemText(problem: PasswordProblem): string {
  switch (problem.kind) {
    case 'empty':
      return t('Enter the password.');
    case 'wrong':
      return t('That password isn’t right. Try again.');
    case 'changed':
      return t('The password has changed. Enter the new one.');
    case 'unreachable':
      return t('The video server isn’t answering. Try again.');
    case 'none':
    case 'locked':
      return '';
  }
}
