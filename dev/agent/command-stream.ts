import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Command, Follower } from './command.ts';
import { beginStream, frame, lastFrame } from './connect.ts';

/** Sends a command's output from now on, then its end. Returns early if the client goes away. */
export async function streamCommand(
  { pid, followers, ended }: Command,
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const seconds = keepaliveSeconds(headers['keepalive-ping-interval']?.toString());
  beginStream(response);
  void sendEvent(response, { start: { pid } });
  const timer = setInterval(() => void sendEvent(response, { keepalive: {} }), seconds * 1000);
  const follower: Follower = data => {
    timer.refresh();
    return sendEvent(response, { data });
  };
  followers.add(follower);
  const end = await Promise.race([ended, once(response, 'close').then(() => undefined)]);
  followers.delete(follower);
  clearInterval(timer);
  if (end === undefined) return;
  void sendEvent(response, { end });
  response.end(lastFrame());
}

/** Resolves when the client's connection has taken the event, or is closed. */
function sendEvent(response: ServerResponse, event: object): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise(resolve => void response.write(frame({ event }), () => resolve()));
}

/** @throws for an interval that crashes envd */
function keepaliveSeconds(header = '90'): number {
  if (Number(header) > 0) return Number(header);
  throw new Error(`Keepalive-Ping-Interval: ${header} crashes envd`);
}
