import { UpstreamAnswer } from '../http/answers.js';
import type { User } from '../users/user.js';
import type { World } from '../world.js';

/** A refusal of the control API: `{"error": "<text>"}`. */
export function refusal(status: 400 | 404, text: string): UpstreamAnswer {
  return new UpstreamAnswer(status, { error: text });
}

export function userOrRefusal(world: World, userId: string): User {
  const user = world.users.find(userId);
  if (user === undefined) throw refusal(404, 'no such user');
  return user;
}
