"""Drawings of training at scale: memory, and many devices."""

import numpy as np

from tools.drawings.primitives import PADDING, SMALL, Canvas


def training_memory():
    canvas = Canvas(45)
    num_blocks = 4
    width = 3.7
    weights = 3.0
    # A part: its height, colour, share of the colour, and hatching.
    always = [(weights, "ink", 0.35, None), (2 * weights, "mask", 0.3, "--")]
    activations = (4.0, "head 3", 0.3, None)
    gradients = (weights / num_blocks, "head 4", 0.4, "\\\\\\\\")
    logits = (5.0, "added", 0.3, "////")

    blocks = range(1, num_blocks + 1)
    columns = [(f"{block}", always + [activations] * block) for block in blocks]
    columns.append(("loss", [*columns[-1][1], logits]))
    for block in reversed(blocks):
        finished = num_blocks + 1 - block  # blocks whose gradients are there
        kept = [gradients] * finished + [activations] * (block - 1)
        columns.append((f"{block}", always + kept))
    columns.append(("step", always + [gradients] * num_blocks))

    for number, (name, parts) in enumerate(columns):
        x = 12 + width * number
        y = 5.5
        for height, role, fill, hatch in parts:
            canvas.cell(x, y, width, height, role, fill, hatch)
            y += height
        canvas.small(x + width / 2, 4, name)
    canvas.text(19.4, 42.6, "forward", weight="bold")
    canvas.text(37.9, 42.6, "backward", weight="bold")
    canvas.small(11.2, 7, "weights", ha="right")
    canvas.small(11.2, 11.5, "Adam", ha="right")
    canvas.small(11.2, 16.5, "activations", "head 3", ha="right")
    canvas.small(37.46, 35, "logits, loss", "added", ha="left")
    canvas.arrow((39, 33.7), (30.8, 32.5), "quiet")
    canvas.small(48.5, 19.7, "gradients", "head 4", ha="right")
    note = "block after block: time runs to the right"
    canvas.shape(28.65, 1.8, note, ha="center")
    canvas.describe("""
        Memory during one training step, drawn as columns over time. The weights and the
        two averages of Adam, twice as high, are there all the time. Forward, blocks 1
        to 4 each add their activations, so the columns grow like a staircase; at the
        loss the logits come on top, and the memory has its peak. Backward, blocks 4 to
        1 free their activations one after the other, and each adds its gradients, which
        are as large as the weights in the end. Then the optimizer makes its step.
    """)
    return canvas


def sharded_weights():
    canvas = Canvas(41)
    num_columns = 4
    devices = 2
    for device in range(devices):
        y = 20.8 - 19.8 * device
        role = ["head 1", "head 3"][device]
        canvas.part(1, y, 50, 18, "token")
        canvas.text(2.2, y + 15.6, f"device {device}", ha="left", weight="bold")
        canvas.cells(3.6, y + 4.6, 3, 4, "ink", side=2)
        canvas.shape(7.6, y + 2.8, "x (B, D)", ha="center")
        canvas.small(13.4, y + 7.6, "×")
        canvas.small(25.2, y + 7.6, "=")
        for column in range(num_columns):
            own = column * devices // num_columns == device
            for left, low, rows in (15.4, y + 3.6, 4), (27, y + 4.6, 3):  # W and y
                x = left + 2 * column
                if own:
                    canvas.cells(x, low, rows, 1, role, side=2, fill=0.5)
                else:
                    canvas.weights(x, low, np.full((rows, 1), np.nan), 2, 2)
        canvas.shape(19.4, y + 1.8, "half of W (D, F)", ha="center")
        canvas.shape(31, y + 2.8, "half of y", ha="center")
        canvas.arrow((35.6, y + 7.6), (40.4, y + 7.6), "added")
        canvas.small(38, y + 11, "gather", "added")
        canvas.cells(40.8, y + 4.6, 3, 4, "ink", side=2)
        canvas.shape(44.8, y + 2.8, "y (B, F)", ha="center")
    canvas.describe("""
        A matrix of weights in two pieces, each on a device of its own. Both devices
        have the whole input x, of shape (B, D). Device 0 has the left half of the
        columns of W, of shape (D, F), device 1 the right half; the other columns are
        crossed. So each computes its half of the columns of y. Where all of y is
        needed, the halves are gathered, and both have y, of shape (B, F).
    """)
    return canvas


def ring_all_reduce():
    canvas = Canvas(47)
    workers = 4
    side = 3.3
    for worker in range(workers):
        box = canvas.box(8 + 9.6 * worker, 39, 6.6, 4, f"worker {worker}", size=SMALL)
        if worker < workers - 1:
            x = box.x + box.width
            canvas.arrow((x + 0.1, 41), (x + 2.8, 41))
    way = box.right, (46.4, 41), (46.4, 36.6), (5, 36.6), (5, 41), (7.9, 41)
    canvas.line(*way, arrow=True)

    # held[worker][piece]: of how many workers the piece there is the sum.
    held = np.ones((workers, workers), dtype=int)

    def draw_table(left, title):
        canvas.small(left + 2 * side, 32.6, title, weight="bold")
        for worker in range(workers):
            x = left + side * worker
            canvas.small(x + side / 2, 29.8, f"{worker}")
            for piece in range(workers):
                y = 24.6 - side * piece
                if held[worker, piece] == workers:
                    canvas.cell(x, y, side, side, "added", 0.6)
                    canvas.small(x + side / 2, y + side / 2, "Σ")
                else:
                    canvas.cell(x, y, side, side, f"head {worker + 1}", 0.25)
                    if held.max() == 1:  # nothing was sent yet
                        canvas.small(x + side / 2, y + side / 2, "abcd"[piece])

    rounds = workers - 1
    draw_table(3.6, "at first")
    canvas.arrow((17.4, 21.3), (19.6, 21.3))
    for round_ in range(rounds):
        for worker in range(workers):
            right = (worker + 1) % workers
            piece = (worker - round_) % workers
            held[right, piece] += round_ + 1  # it is added
    # What was only passed on and isn't whole is drawn as the worker's own.
    draw_table(20, f"after {rounds} rounds")
    canvas.arrow((33.8, 21.3), (36, 21.3))
    for round_ in range(rounds):
        for worker in range(workers):
            right = (worker + 1) % workers
            piece = (worker + 1 - round_) % workers
            held[right, piece] = workers  # the sum is put in its place
    draw_table(36.4, f"after {2 * rounds} rounds")
    note = (
        "A column is a worker, a row one of the 4 pieces of its array.\n"
        "Each round: one piece to the right neighbour.\n"
        "Rounds 1 to 3 add it, rounds 4 to 6 put it in the place."
    )
    canvas.small(2.2, 8.4, note, ha="left")
    note = f"sent by each: {2 * rounds} pieces of {workers}, 1½ times the array"
    canvas.small(2.2, 2.6, note, ha="left")
    canvas.describe("""
        The ring all-reduce of four workers. Above, arrows lead from worker 0 to 1, 2, 3
        and back to 0. Below are three tables; a column is a worker, a row one of the
        four pieces a, b, c, d of its array. At first each worker has its own pieces. In
        each round it sends one piece to its right neighbour. After 3 rounds every
        worker has the sum, Σ, of one piece, on a diagonal. After 6 rounds everybody has
        all four sums. Each has sent 6 pieces of 4, which is one and a half times its
        array.
    """)
    return canvas


def pipeline():
    canvas = Canvas(31)
    devices = 4
    parts = 4
    steps = devices + parts - 1  # in each direction
    width = 2.9
    canvas.text(10 + width * steps / 2, 28.6, "forward", "head 3", weight="bold")
    canvas.text(10 + width * steps * 1.5, 28.6, "backward", "head 4", weight="bold")
    for device in range(devices):
        y = 22.4 - 4.4 * device
        canvas.small(9, y + 1.8, f"device {device}", ha="right")
        for step in range(2 * steps):
            x = 10 + width * step
            if step < steps:
                role = "head 3"
                part = step - device + 1
            else:
                role = "head 4"
                part = step - steps - (devices - 1 - device) + 1
            if 1 <= part <= parts:
                canvas.cell(x, y, width, 3.6, role, 0.35)
                canvas.small(x + width / 2, y + 1.8, f"{part}")
            else:
                canvas.cell(x, y, width, 3.6, "mask", 0.08, PADDING)
    canvas.shape(
        10 + width * steps, 6.2, "time; 1 to 4 are the parts of one batch", ha="center"
    )
    idle = steps - parts
    note = f"hatched: idle, {idle} of {steps} steps in each direction"
    canvas.small(10 + width * steps, 2.6, note)
    canvas.describe(f"""
        A pipeline of four devices, each with a quarter of the blocks; time runs to the
        right. A batch is cut into the parts 1 to 4. Device 0 computes part 1, hands it
        to device 1 and begins part 2, and so on: a staircase. Backward the staircase
        comes back from device 3 to device 0. What is hatched is idle: each device waits
        for {idle} of {steps} steps in each direction.
    """)
    return canvas


def data_parallel():
    canvas = Canvas(58)
    lengths = [[5, 3], [2, 1]]  # real tokens in the rows of each worker
    tokens = [sum(rows) for rows in lengths]
    total = sum(tokens)
    canvas.box(4, 31.6, 44, 4.8, "all-reduce: everybody gets the sum", "added")
    for worker, rows in enumerate(lengths):
        left = 1.5 + 25 * worker
        middle = left + 12
        role = ["head 1", "head 3"][worker]
        canvas.part(left, 1, 24, 55.6, "token")
        canvas.text(middle, 54.4, f"worker {worker}", weight="bold")
        for row, length in enumerate(rows):
            for place in range(5):
                x = left + 5.5 + 2.6 * place
                y = 6.6 - 3 * row
                if place < length:
                    canvas.cell(x, y, 2.6, 2.4, role, 0.4)
                else:
                    canvas.cell(x, y, 2.6, 2.4, "mask", 0.1, PADDING)
        canvas.arrow((middle, 9.3), (middle, 13.3))
        canvas.box(left + 2.5, 13.4, 19, 5, "model, same weights")
        canvas.arrow((middle, 18.5), (middle, 22.4))
        canvas.cells(left + 6, 22.6, 1, 6, role, side=2, fill=0.4)
        share = f"{tokens[worker]}/{total}"
        canvas.small(middle, 26.4, f"mean over {tokens[worker]} tokens: × {share}")
        canvas.arrow((middle, 28), (middle, 31.4))
        canvas.arrow((middle, 36.6), (middle, 39.8))
        canvas.box(left + 2.5, 40, 19, 4, "same step of Adam", size=SMALL)
        canvas.arrow((middle, 44.1), (middle, 47.2))
        canvas.box(left + 2.5, 47.4, 19, 4, "same weights again", size=SMALL)
    canvas.describe(f"""
        Data-parallel training with two workers side by side, read from bottom to top.
        Each has two rows of the batch: worker 0 has {tokens[0]} real tokens, worker 1
        has {tokens[1]} and more padding, which is hatched. Both have a model with the
        same weights. Each computes the gradients of the mean loss over its own tokens
        and multiplies them by its part of all tokens, {tokens[0]}/{total} and
        {tokens[1]}/{total}. A box across both, all-reduce, gives everybody the sum.
        Both make the same step of Adam, and so have the same weights again.
    """)
    return canvas


def activation_checkpointing():
    canvas = Canvas(44)
    num_blocks = 4
    now = 3  # the block that the backward pass has reached
    for y, title in (
        (31, "all is kept"),
        (17, "only the inputs are kept"),
        (3, f"backward, at block {now}: computed again"),
    ):
        canvas.small(2, y + 9.4, title, ha="left", weight="bold")
        for block in range(1, num_blocks + 1):
            left = 2 + 12.4 * (block - 1)
            canvas.box(left, y, 11, 7.6)
            canvas.small(left + 5.5, y + 5.8, f"block {block}")
            for place in range(4):
                x = left + 0.9 + 2.4 * place
                is_input = place == 0
                backward = title.startswith("backward")
                if backward and block > now:
                    canvas.crossed(x, y + 1.4, 2, 2)
                elif is_input or title == "all is kept":
                    canvas.cell(x, y + 1.4, 2, 2, "head 3", 0.5)
                elif backward and block == now:
                    canvas.cell(x, y + 1.4, 2, 2, "added", 0.5, "////")
                else:
                    canvas.crossed(x, y + 1.4, 2, 2)
    canvas.describe("""
        Three rows of four blocks; a block has four cells for what it computes. First
        row: all is kept, all cells are filled. Second row: only the inputs are kept,
        one cell in each block; the others are crossed. Third row: the backward pass is
        at block 3, whose crossed cells were computed again from its input and are
        hatched; block 4 is done and holds nothing any more, blocks 1 and 2 hold their
        inputs only.
    """)
    return canvas
