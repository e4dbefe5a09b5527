// Boxes by the ten thousand: WebGL2 instances, or a 2D canvas where there is no graphics context. A
// block of boxes is uploaded once; moving and zooming only change two numbers per block.
import { commonTexts } from '../lib/texts.ts';

/** Boxes of one row, x in ns from `originNs`, colors as RGB bytes. */
export interface BoxBlock {
  count: number;
  originNs: number;
  /** Start and end of each box relative to originNs, interleaved. */
  spans: Float32Array;
  lanes: Uint16Array;
  colors: Uint8Array;
}

export interface BoxPlace {
  block: BoxBlock;
  /** Top of the row and height of a lane, CSS pixels. */
  y: number;
  laneHeight: number;
  height: number;
}

export interface BoxRenderer {
  readonly kind: 'webgl2' | 'canvas2d';
  resize(width: number, height: number, ratio: number): void;
  /** Draws blocks for the window [startNs, startNs + width * nsPerPixel). */
  draw(places: readonly BoxPlace[], startNs: number, nsPerPixel: number): void;
  /** Frees what was uploaded for blocks that are not in `kept`. */
  forget(kept: ReadonlySet<BoxBlock>): void;
  dispose(): void;
}

const vertexShader = `#version 300 es
layout(location = 0) in vec2 corner;
layout(location = 1) in vec2 span;
layout(location = 2) in float lane;
layout(location = 3) in vec3 color;
uniform vec2 map;      // pixels = span * map.x + map.y
uniform vec3 row;      // top, height of a lane, height of the row
uniform vec2 screen;
out vec3 fill;
void main() {
  float x0 = span.x * map.x + map.y;
  float x1 = max(span.y * map.x + map.y, x0 + 1.0);
  if (x1 - x0 > 3.0) x1 -= 1.0;
  float top = row.x + min(lane * row.y, row.z - 2.0);
  float tall = max(1.0, row.y - (row.y > 6.0 ? 1.0 : 0.0));
  vec2 pixel = vec2(mix(x0, x1, corner.x), top + tall * corner.y);
  gl_Position = vec4(pixel.x / screen.x * 2.0 - 1.0, 1.0 - pixel.y / screen.y * 2.0, 0.0, 1.0);
  fill = color;
}`;

const fragmentShader = `#version 300 es
precision mediump float;
in vec3 fill;
out vec4 result;
void main() { result = vec4(fill, 1.0); }`;

function compile(gl: WebGL2RenderingContext, type: number, source: string): WebGLShader | null {
  const shader = gl.createShader(type);
  if (shader === null) return null;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return gl.getShaderParameter(shader, gl.COMPILE_STATUS) === true ? shader : null;
}

interface Uploaded {
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
}

class GlRenderer implements BoxRenderer {
  readonly kind = 'webgl2';
  private readonly canvas: HTMLCanvasElement;
  private readonly gl: WebGL2RenderingContext;
  private readonly program: WebGLProgram;
  private readonly corners: WebGLBuffer;
  private readonly map: WebGLUniformLocation | null;
  private readonly row: WebGLUniformLocation | null;
  private readonly screen: WebGLUniformLocation | null;
  private readonly uploaded = new Map<BoxBlock, Uploaded>();
  private width = 1;
  private height = 1;

  constructor(
    canvas: HTMLCanvasElement,
    gl: WebGL2RenderingContext,
    program: WebGLProgram,
    corners: WebGLBuffer,
  ) {
    this.canvas = canvas;
    this.gl = gl;
    this.program = program;
    this.corners = corners;
    this.map = gl.getUniformLocation(program, 'map');
    this.row = gl.getUniformLocation(program, 'row');
    this.screen = gl.getUniformLocation(program, 'screen');
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = width;
    this.height = height;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.gl.viewport(0, 0, this.canvas.width, this.canvas.height);
  }

  draw(places: readonly BoxPlace[], startNs: number, nsPerPixel: number): void {
    const { gl } = this;
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniform2f(this.screen, this.width, this.height);
    for (const place of places) {
      if (place.block.count === 0) continue;
      gl.bindVertexArray(this.upload(place.block).array);
      gl.uniform2f(this.map, 1 / nsPerPixel, (place.block.originNs - startNs) / nsPerPixel);
      gl.uniform3f(this.row, place.y, place.laneHeight, place.height);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, place.block.count);
    }
    gl.bindVertexArray(null);
  }

  private upload(block: BoxBlock): Uploaded {
    const known = this.uploaded.get(block);
    if (known !== undefined) return known;
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    const buffers: WebGLBuffer[] = [];
    const attribute = (
      index: number,
      data: Float32Array | Uint16Array | Uint8Array,
      size: number,
      type: number,
      normalised: boolean,
    ): void => {
      const buffer = gl.createBuffer();
      buffers.push(buffer);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, type, normalised, 0, 0);
      gl.vertexAttribDivisor(index, 1);
    };
    attribute(1, block.spans, 2, gl.FLOAT, false);
    attribute(2, block.lanes, 1, gl.UNSIGNED_SHORT, false);
    attribute(3, block.colors, 3, gl.UNSIGNED_BYTE, true);
    const result = { array, buffers };
    this.uploaded.set(block, result);
    return result;
  }

  forget(kept: ReadonlySet<BoxBlock>): void {
    for (const [block, { array, buffers }] of this.uploaded) {
      if (kept.has(block)) continue;
      this.gl.deleteVertexArray(array);
      for (const buffer of buffers) this.gl.deleteBuffer(buffer);
      this.uploaded.delete(block);
    }
  }

  dispose(): void {
    this.forget(new Set());
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

class CanvasRenderer implements BoxRenderer {
  readonly kind = 'canvas2d';
  private readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private width = 1;
  private ratio = 1;

  constructor(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D) {
    this.canvas = canvas;
    this.context = context;
  }

  resize(width: number, height: number, ratio: number): void {
    this.width = width;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw(places: readonly BoxPlace[], startNs: number, nsPerPixel: number): void {
    const { context } = this;
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    let style = -1;
    // Edges on whole device pixels are filled without smoothing, which costs a multiple in software.
    const snap = (value: number): number => Math.round(value * this.ratio) / this.ratio;
    const onePixel = 1 / this.ratio;
    for (const { block, y, laneHeight, height } of places) {
      const scale = 1 / nsPerPixel;
      // Where each lane has been filled to: boxes below a pixel that fall on it again change nothing.
      const filled: number[] = [];
      const shift = (block.originNs - startNs) * scale;
      const tall = Math.max(1, laneHeight - (laneHeight > 6 ? 1 : 0));
      for (let i = 0; i < block.count; i++) {
        const begin = block.spans[2 * i]! * scale + shift;
        const end = block.spans[2 * i + 1]! * scale + shift;
        if (end < -1 || begin > this.width) continue;
        const x0 = snap(begin);
        let x1 = Math.max(snap(end), x0 + onePixel);
        const lane = block.lanes[i]!;
        if (x1 <= (filled[lane] ?? -Infinity)) continue;
        filled[lane] = x1;
        if (x1 - x0 > 3) x1 -= 1;
        const color =
          (block.colors[3 * i]! << 16) | (block.colors[3 * i + 1]! << 8) | block.colors[3 * i + 2]!;
        if (color !== style) {
          style = color;
          context.fillStyle = `#${color.toString(16).padStart(6, '0')}`;
        }
        const left = Math.max(x0, -2);
        context.fillRect(
          left,
          snap(y + Math.min(lane * laneHeight, height - 2)),
          Math.min(x1, this.width + 2) - left,
          tall,
        );
      }
    }
  }

  forget(): void {
    // Nothing is kept between frames.
  }

  dispose(): void {
    this.canvas.width = this.canvas.height = 1;
  }
}

/** True where the driver says that it draws in software: a 2D canvas is then faster. */
function emulated(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  if (info === null) return false;
  const name = String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
  return /swiftshader|llvmpipe|software|softpipe/i.test(name);
}

/**
 * A renderer on `canvas`, or, where it has to be a 2D canvas and one is there for what lies above the
 * boxes, on that one: without a graphics card each canvas costs a copy and a blending in every frame.
 * A canvas that once gave one kind of context gives no other: pass a fresh one.
 */
export function createBoxRenderer(
  canvas: HTMLCanvasElement,
  prefer: 'auto' | 'canvas2d' | 'webgl2',
  above: HTMLCanvasElement = canvas,
): BoxRenderer {
  if (prefer !== 'canvas2d') {
    const trial = document.createElement('canvas').getContext('webgl2');
    const usable = trial !== null && (prefer === 'webgl2' || !emulated(trial));
    trial?.getExtension('WEBGL_lose_context')?.loseContext();
    const gl = usable
      ? canvas.getContext('webgl2', {
          antialias: false,
          premultipliedAlpha: false,
          preserveDrawingBuffer: true,
        })
      : null;
    if (gl !== null) {
      const vertex = compile(gl, gl.VERTEX_SHADER, vertexShader);
      const fragment = compile(gl, gl.FRAGMENT_SHADER, fragmentShader);
      const program = gl.createProgram();
      const corners = gl.createBuffer();
      if (vertex !== null && fragment !== null) {
        gl.attachShader(program, vertex);
        gl.attachShader(program, fragment);
        gl.linkProgram(program);
        if (gl.getProgramParameter(program, gl.LINK_STATUS) === true) {
          gl.bindBuffer(gl.ARRAY_BUFFER, corners);
          gl.bufferData(
            gl.ARRAY_BUFFER,
            new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]),
            gl.STATIC_DRAW,
          );
          return new GlRenderer(canvas, gl, program, corners);
        }
      }
    }
  }
  const context = above.getContext('2d');
  if (context === null) throw new Error(commonTexts.noCanvas);
  return new CanvasRenderer(above, context);
}
