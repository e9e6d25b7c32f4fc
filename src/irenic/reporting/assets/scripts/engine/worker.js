// @ts-check
// The worker of the editor: it checks rows, so that typing never waits.

import { startChecker } from "./checking.js";

const receive = startChecker((reply) => postMessage(reply));

self.onmessage = (event) => receive(event.data);
