import './app/refuse-old-node.js';
import './app/signals.js';

/**
 * `npm start`: serves until SIGTERM or SIGINT, drains and ends with 0; ends with 1 and a reason where it cannot start.
 * SIGHUP reads secret files again; SIGUSR2 switches the log level.
 */
const { serve } = await import('./app/serve.js');
await serve();
