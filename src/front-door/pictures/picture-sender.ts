/** The access units of a stream as messages for one viewer, who begins with the newest group of pictures. */

import type { GatewayError } from '../../core/errors.ts';
import type { LivePicture, LivePictures, PictureReader } from '../../stream/media/live-media.ts';
import type { MessageCarrier, SocketFeed } from '../sockets/live-socket.ts';
import type { PictureMessages } from './picture-message.ts';

export class PictureSender implements SocketFeed, PictureReader {
  readonly #pictures: LivePictures;
  readonly #messages: PictureMessages;
  #carrier: MessageCarrier | null = null;

  constructor(pictures: LivePictures, messages: PictureMessages) {
    this.#pictures = pictures;
    this.#messages = messages;
  }

  attach(carrier: MessageCarrier): void {
    this.#carrier = carrier;
    this.#pictures.attach(this);
  }

  detach(): void {
    this.#pictures.detach(this);
  }

  /** Hot: once per frame and viewer. */
  onPicture(picture: LivePicture): void {
    this.#carrier?.carry(this.#messages.of(picture), picture.isKey);
  }

  onGone(error: GatewayError): void {
    this.#carrier?.onGone(error);
  }
}
