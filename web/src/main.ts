// Starts the page of a server.
import { App } from "./app";
import { Connection } from "./connection";
import { inspect } from "./inspect";

inspect(new App((listener) => new Connection(listener)));
