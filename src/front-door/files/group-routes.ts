/**
 * Routes of a shared group of files: opening it, its current list, and its files (docs/design/access.md#shared-files). Their sessions and
 * grants are separate from those of cameras.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { VERIFY_PAGE_NAME } from '../../cases/manifest.ts';
import { GatewayError } from '../../core/errors.ts';
import { isRuuid } from '../../core/ruuid.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import type { ShareDirectory } from '../../sharing/share-directory.ts';
import type { ShareGate } from '../../sharing/share-gate.ts';
import { type SharedFile, type SharedGroup, showsUnmasked } from '../../sharing/shared-group.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import { maskedCameraUuid } from '../../store/privacy-mask.ts';
import type { EncodedFileKind, EncodedFiles } from '../past/encoded-files.ts';
import type { PastBudget } from '../past/past-budget.ts';
import { downloadNameFor } from '../response/download-name.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { fileReplyFor, sendSmallFile } from '../response/file-response.ts';
import { emptyBodyIsObject, OPEN_BODY, type OpenBody } from '../response/open-body.ts';
import { rawQuery } from '../response/raw-query.ts';
import { sendJson, sendOpeningRefused, sendRedirect, sendRefused } from '../response/refusal-response.ts';
import { videoQuery } from '../response/requested-video.ts';
import type { FrontDoorParts, ShareViewer } from '../session/front-door-parts.ts';
import type { OpeningLog } from '../session/opening-log.ts';
import { ViewerReplies } from '../session/viewer-replies.ts';
import { archiveName, caseArchive } from './case-archive.ts';
import type { GroupLists, ListedItem } from './group-lists.ts';
import type { OpenSealedArchive } from './sealed-archive.ts';
import type { SealedCases, ShownSeal } from './sealed-case.ts';
import { sendServedFile, sendStoredFile, servedFileOf } from './stored-file-response.ts';

/** Access to groups, and their items. */
export interface GroupParts {
  /** Over ShareDirectory.groupShares, ShareTokens.forGroups and Grants.forGroups, like `sessions`. */
  readonly gate: ShareGate;
  readonly sessions: ViewerSessions;
  readonly directory: Pick<ShareDirectory, 'findGroup' | 'masked'>;
  readonly lists: GroupLists;
  /** Archives of cases, and what is in them. */
  readonly openSealed: OpenSealedArchive;
  readonly cases: SealedCases;
  /** Called for everyone who opens a group. */
  readonly onGroupOpened: (group: SharedGroup, viewer: ShareViewer) => void;
}

export interface GroupRouteParts extends GroupParts {
  readonly openingLog: OpeningLog;
  readonly media: PastMedia;
  readonly encoded: EncodedFiles;
  readonly budget: PastBudget;
}

interface FileParams {
  readonly token: string;
  readonly item: string;
  readonly name: string;
}

/** All files of a group, with a note. */
const ARCHIVE = 'case.zip';
/** By extension. */
const TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
};
const NAME_PATTERN = /^(.{22})\.(mp4|gif|jpeg)$/;
const BY_GRANT = { config: { access: 'grant' } } as const;

export class GroupRoutes {
  readonly #parts: FrontDoorParts;
  readonly #groups: GroupRouteParts;
  readonly #replies: ViewerReplies;

  constructor(parts: FrontDoorParts, groups: GroupRouteParts) {
    const { gate, sessions } = groups;
    this.#parts = { ...parts, gate, sessions };
    this.#groups = groups;
    this.#replies = new ViewerReplies(this.#parts);
  }

  register(app: FastifyInstance): void {
    app.post<{ Params: { token: string }; Body: OpenBody }>(
      '/clips/:token/open',
      { config: { access: 'share-link' }, schema: { body: OPEN_BODY }, preValidation: emptyBodyIsObject },
      (request, reply) => this.#open(request.params.token, request.body.password || null, request, reply),
    );
    // With the grant as the token.
    app.get<{ Params: { token: string } }>('/clips/:token/items', BY_GRANT, (request, reply) => {
      this.#sendItems(request, reply).catch((thrown) => reply.send(thrown));
    });
    app.get<{ Params: { token: string } }>(`/clips/:token/${ARCHIVE}`, BY_GRANT, (request, reply) => {
      this.#sendArchive(request, reply).catch((thrown) => reply.send(thrown));
    });
    app.get<{ Params: { token: string } }>(
      `/clips/:token/${VERIFY_PAGE_NAME}`,
      BY_GRANT,
      (request, reply) => {
        this.#sendVerifyPage(request, reply).catch((thrown) => reply.send(thrown));
      },
    );
    // With the link's token: for links without a password, which need no page to be saved.
    app.get<{ Params: { token: string } }>(
      '/clips/:token/download',
      { config: { access: 'share-link' } },
      (request, reply) => this.#download(request, reply),
    );
    app.get<{ Params: FileParams }>('/clips/:token/:item/:name', BY_GRANT, (request, reply) => {
      this.#sendFile(request, reply).catch((thrown) => reply.send(thrown));
    });
  }

  async #open(
    shareToken: string,
    password: string | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { clock, basePath } = this.#parts;
    const opened = await this.#opened(shareToken, password, request, reply);
    if (opened === null) return reply;
    sendJson(reply, 200, {
      status: 'open',
      kind: opened.group.body.kind,
      itemsUrl: `${basePath}/clips/${opened.grantText}/items`,
      serverTimeMs: clock.epochMs(),
    });
    return reply;
  }

  /** null: refused, and the response was sent. */
  async #opened(
    shareToken: string,
    password: string | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly group: SharedGroup; readonly grantText: string } | null> {
    const { gate, directory, openingLog, onGroupOpened } = this.#groups;
    const { clock, log } = this.#parts;
    openingLog.noteProxy(request);
    const opened = await gate.open({
      shareToken,
      password,
      address: request.ip,
      onNear: () => undefined,
    });
    if (!opened.allowed) {
      openingLog.refused(request.routeOptions.url, opened);
      sendOpeningRefused(reply, opened, clock.epochMs());
      return null;
    }
    // The gate found it a moment ago.
    const group = directory.findGroup(opened.view.share.uuid)!;
    log.debug({ share: group.uuid }, 'shared files opened');
    onGroupOpened(group, { address: request.ip, userAgent: request.headers['user-agent'] ?? null });
    return { group, grantText: opened.grantText };
  }

  /** Leads to the only file, or to the archive of all. */
  async #download(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const opened = await this.#opened(request.params.token, null, request, reply);
    if (opened === null) return reply;
    const { group, grantText } = opened;
    const query = videoQuery(rawQuery(request));
    const suffix = query === '' ? '' : `&${query}`;
    if (group.body.caseUuid !== undefined) {
      sendRedirect(reply, `${this.#parts.basePath}/clips/${grantText}/${ARCHIVE}`);
      return reply;
    }
    const files = (await this.#groups.lists.list(group)).flatMap(({ uuid, item }) =>
      (item?.files ?? []).map((file) => `${uuid}/${file.uuid}.${file.extension}?download${suffix}`),
    );
    const name = group.body.itemUuids.length === 1 && files.length === 1 ? files[0]! : ARCHIVE;
    sendRedirect(reply, `${this.#parts.basePath}/clips/${grantText}/${name}`);
    return reply;
  }

  /** Clips that are not complete are missing in it, and its note names them. */
  async #sendArchive(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
  ): Promise<void> {
    const session = this.#sessionOf(request, reply);
    if (session === null) return;
    const { lists, budget, media, openSealed } = this.#groups;
    const leave = budget.enter(session);
    try {
      const group = this.#groupOf(request, reply);
      if (group === null) return;
      const isCase = group.body.caseUuid !== undefined;
      const items = isCase ? [] : (await lists.list(group)).map(({ item }) => item);
      const served = isCase ? await openSealed(group, media) : caseArchive(group, items, media);
      const current = this.#sessionOf(request, reply);
      if (current === null) return;
      if (served === null) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
      current.noteFetch();
      // A large archive continues where a download broke off.
      const { hasRanges } = served;
      const parts = { responses: this.#parts.responses, replies: this.#replies, budget };
      await sendServedFile(parts, current, reply, {
        served,
        file: hasRanges ? fileReplyFor(request, served) : { status: 200, first: 0, end: served.byteLength },
        mayContinue: () => true,
        kind: { type: 'application/zip', downloadName: archiveName(group), hasRanges },
      });
    } finally {
      leave();
    }
  }

  async #sendItems(request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply) {
    const group = this.#groupOf(request, reply);
    if (group === null) return;
    const { lists, cases } = this.#groups;
    const isCase = group.body.caseUuid !== undefined;
    const items = isCase ? [] : await lists.list(group);
    const sealed = isCase ? await cases.shown(group) : null;
    // Reading the store took a while: the session decides now.
    const current = this.#groupOf(request, reply);
    if (current === null) return;
    sendJson(reply, 200, {
      kind: current.body.kind,
      title: current.name,
      description: current.body.description,
      items: items.map(shownItem),
      ...(isCase ? { case: { sealed: sealed === null ? null : shownCase(sealed) } } : {}),
      serverTimeMs: this.#parts.clock.epochMs(),
      expiresAtSec: current.body.expiresAtSec,
    });
  }

  /** As a file: opened here, it would be a page of this host. */
  async #sendVerifyPage(request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply) {
    const group = this.#groupOf(request, reply);
    if (group === null) return;
    const page = await this.#groups.cases.verifyPage(group);
    if (this.#groupOf(request, reply) === null) return;
    if (page === null) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
    sendSmallFile(reply, 'text/html; charset=utf-8', VERIFY_PAGE_NAME, Buffer.from(page));
  }

  async #sendFile(request: FastifyRequest<{ Params: FileParams }>, reply: FastifyReply): Promise<void> {
    const { item, name } = request.params;
    const session = this.#sessionOf(request, reply);
    if (session === null) return;
    const leave = this.#groups.budget.enter(session);
    try {
      const named = NAME_PATTERN.exec(name);
      const group = this.#groups.directory.findGroup(session.audienceUuid);
      const isMember = isRuuid(item) && group?.body.itemUuids.includes(item) === true;
      const found = isMember && named !== null ? await this.#groups.lists.find(group, item) : null;
      const current = this.#sessionOf(request, reply);
      if (current === null) return;
      const file = found?.files.find(({ uuid }) => uuid === named![1]);
      const extension = named?.[2] ?? '';
      const stored = file === undefined ? null : storedOf(file, extension);
      if (found === null || file === undefined || stored === null) {
        throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
      }
      if (extension !== 'jpeg') current.noteFetch();
      const { media, budget } = this.#groups;
      const titles = [found.title || group!.name || item, file.cameraName];
      const { startMs: fromMs, timeZone: zone } = file;
      const downloadName = downloadNameFor(request, { titles, fromMs, zone, extension });
      const mayContinue = () => this.#hasMasksOf(group!, file);
      if (!mayContinue()) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
      if (file.masks !== null || (extension === 'mp4' && videoQuery(rawQuery(request)) !== '')) {
        await this.#sendEncoded(current, file, request, reply, {
          downloadName,
          mayContinue,
          onSent: (bytes) => this.#replies.count(current, bytes),
        });
        return;
      }
      const parts = { responses: this.#parts.responses, replies: this.#replies, media, budget };
      await sendStoredFile(parts, current, request, reply, {
        stored,
        writtenAtMs: file.writtenAtMs,
        type: TYPES[extension]!,
        downloadName,
        mayContinue,
      });
    } finally {
      leave();
    }
  }

  async #sendEncoded(
    session: ViewerSession,
    file: SharedFile,
    request: FastifyRequest<{ Params: FileParams }>,
    reply: FastifyReply,
    kind: EncodedFileKind,
  ): Promise<void> {
    const { media, encoded } = this.#groups;
    const { uuid: cameraUuid, masks, durationMs } = file;
    const begun = await encoded.begin(session, {
      source: servedFileOf(file, file.writtenAtMs, media),
      durationMs,
      hasAudio: true,
      masks,
      cameraUuid,
      orgUuid: session.orgUuid,
    });
    // A worker was started: the session decides now.
    const current = this.#sessionOf(request, reply);
    if (current !== null && kind.mayContinue()) {
      await begun.send(reply, kind);
      return;
    }
    begun.discard();
    if (current !== null) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
  }

  /** Whether the masks of the file are those that its camera has now. A camera that was removed has none anymore. */
  #hasMasksOf({ body }: SharedGroup, { uuid, masks }: SharedFile): boolean {
    if (showsUnmasked(body)) return true;
    const now = this.#groups.directory.masked.of(uuid);
    return now === (masks === null ? null : maskedCameraUuid(uuid, masks));
  }

  /** null: refused, and the response was sent. */
  #sessionOf(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
  ): ViewerSession | null {
    const session = this.#groups.sessions.access(request.params.token, request);
    if (session.allowed) return session;
    sendRefused(reply, session, this.#parts.clock.epochMs());
    return null;
  }

  #groupOf(request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply): SharedGroup | null {
    const session = this.#sessionOf(request, reply);
    return session === null ? null : this.#groups.directory.findGroup(session.audienceUuid)!;
  }
}

function storedOf(file: SharedFile, extension: string) {
  return extension === 'jpeg' ? file.image : extension === file.extension ? file : null;
}

/** URLs are relative to that of the list. */
function shownCase(sealed: ShownSeal): object {
  return { ...sealed, archiveUrl: ARCHIVE, verifyUrl: VERIFY_PAGE_NAME };
}

/** URLs are relative to that of the list. */
function shownItem({ uuid, item, percent }: ListedItem): object {
  if (item === null) return { id: uuid, state: 'deleted' };
  const { title, description, startMs, durationSec, state, files } = item;
  return {
    id: uuid,
    state,
    title,
    description,
    startMs,
    durationSec,
    ...(percent === null ? {} : { percent }),
    files: files.map((file) => ({
      label: file.label,
      url: `${uuid}/${file.uuid}.${file.extension}`,
      ...(file.masks === null ? { byteLength: file.byteLength } : {}),
      imageUrl: file.image === null ? null : `${uuid}/${file.uuid}.jpeg`,
    })),
  };
}
