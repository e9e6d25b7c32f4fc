// @ts-check
// The kernels of irenic, which are C compiled to WebAssembly, and the memory that they compute in.

import { WASM_MODULE } from "./module.js";
import { h } from "../dom.js";

const kernels = loadKernels();

/** @returns {Kernels} */
function loadKernels() {
  try {
    const bytes = Uint8Array.from(atob(WASM_MODULE), (byte) => byte.charCodeAt(0));
    return /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports);
  } catch {
    return /** @type {any} */ (null); // the browser has no WebAssembly, or a policy forbids it
  }
}

/** What kernels return if there is not enough memory. */
export const NO_MEMORY = -2n;

/** Whether the page can compute; if not, it shows cannotCompute() instead of answers. */
export const canCompute = kernels !== null;

export const cannotCompute = () =>
  h("p", { class: "muted" }, "WebAssembly is not available in this browser, so this cannot be computed here.");

/**
 * Call kernels, and drop what they were given and what they allocated. Results must be copied.
 * @template T
 * @param {(kernels: Kernels) => T} compute
 * @returns {T}
 */
export function withKernels(compute) {
  const before = kernels.top();
  try {
    return compute(kernels);
  } finally {
    kernels.drop(before);
  }
}

/** The kernels, for a worker that keeps memory between calls and drops it itself. */
export const keptKernels = () => kernels;

/**
 * Allocate memory of the kernels, and return its address.
 * @param {number} size
 */
export function allocate(size) {
  return checkMemory(kernels.malloc(size) >>> 0, 0);
}

/**
 * The result of a kernel, unless it means that there is not enough memory.
 * @template T
 * @param {T} result
 * @param {T} none
 */
export function checkMemory(result, none) {
  if (result === none) throw new Error("There is not enough memory to compute this.");
  return result;
}

/**
 * Copy an array to the memory of the kernels, and return its address.
 * @param {ArrayBufferView} array
 */
export function putArray(array) {
  const address = allocate(array.byteLength);
  memoryAt(Uint8Array, address, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return address;
}

/**
 * Copy non-negative integers as 64-bit numbers, and return their address.
 * @param {number[]} integers
 */
export function putIntegers(integers) {
  const halves = new Uint32Array(2 * integers.length);
  for (let i = 0; i < integers.length; i++) halves[2 * i] = integers[i];
  return putArray(halves);
}

/**
 * Copy a struct of c/irenic.h, and return its address. Each number and each pointer takes 8 bytes, because pointers
 * are followed by 64-bit numbers. An array is given with its rows and columns.
 * @param {...(number | [array: ArrayBufferView, rows: number, columns: number])} fields
 */
export function putStruct(...fields) {
  const cells = fields.flatMap((field) =>
    typeof field === "number" ? [field] : [putArray(field[0]), field[1], field[2]],
  );
  return putIntegers(cells);
}

/**
 * A part of the memory as an array, valid until something is allocated.
 * @template A
 * @param {new (buffer: ArrayBuffer, offset: number, length: number) => A} type
 * @param {number} address
 * @param {number} length
 */
export function memoryAt(type, address, length) {
  return new type(kernels.memory.buffer, address, length);
}
