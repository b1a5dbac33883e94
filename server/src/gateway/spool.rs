//! The beginning of a body, kept so that it can be read again: in memory as long as it is short, then in
//! a file without a name, which goes with the process.

use std::io::SeekFrom;

use bytes::{Bytes, BytesMut};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

use super::budget::BufferLease;

/// So much is kept in memory.
const IN_MEMORY: usize = 1024 * 1024;
/// Read from the file at a time.
const PIECE: usize = 64 * 1024;

#[derive(Debug)]
pub struct Spool {
    kept: Kept,
    length: u64,
    memory: BufferLease,
    disk: BufferLease,
    may_use_disk: bool,
}

#[derive(Debug)]
enum Kept {
    Memory(BytesMut),
    File(File),
    /// It grew too long to be kept.
    Nothing,
}

/// Why a piece could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    #[error("too much is held for request bodies")]
    NoRoom,
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Spool {
    pub fn new(memory: BufferLease, disk: BufferLease) -> Self {
        Self {
            kept: Kept::Memory(BytesMut::new()),
            length: 0,
            memory,
            disk,
            may_use_disk: true,
        }
    }

    /// From now on what does not fit in memory is not worth keeping, and then nothing is.
    pub fn keep_off_the_disk(&mut self) {
        self.may_use_disk = false;
    }

    /// Whether all that came can be read again.
    pub fn is_whole(&self) -> bool {
        !matches!(self.kept, Kept::Nothing)
    }

    /// How many bytes it has taken.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Takes all of `piece` or, should it be cancelled or fail, none of it.
    pub async fn append(&mut self, piece: &Bytes) -> Result<(), SpoolError> {
        let length = self.length + piece.len() as u64;
        match &mut self.kept {
            Kept::Memory(bytes) if bytes.len() + piece.len() <= IN_MEMORY => {
                if !self.memory.grow(piece.len() as u64) {
                    return Err(SpoolError::NoRoom);
                }
                bytes.extend_from_slice(piece);
            }
            Kept::Memory(bytes) => {
                let file = match self.may_use_disk {
                    true => Some(begin_file(&mut self.disk, bytes, piece).await?),
                    false => None,
                };
                self.kept = file.map_or(Kept::Nothing, Kept::File);
                self.memory.release();
            }
            Kept::File(file) => {
                if !self.disk.grow_to(length) {
                    return Err(SpoolError::NoRoom);
                }
                write(file, self.length, piece).await?;
            }
            Kept::Nothing => {}
        }
        self.length = length;
        Ok(())
    }

    /// What stands at `offset`, which it has taken: a piece of it, or nothing when it was not kept.
    pub async fn read(&mut self, offset: u64) -> Result<Option<Bytes>, std::io::Error> {
        match &mut self.kept {
            Kept::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                Ok(Some(Bytes::copy_from_slice(rest)))
            }
            Kept::File(file) => {
                file.seek(SeekFrom::Start(offset)).await?;
                let mut piece = BytesMut::with_capacity(PIECE);
                file.read_buf(&mut piece).await?;
                // Behind what it has taken may stand a part of what was cancelled.
                let taken = self.length.saturating_sub(offset);
                piece.truncate(usize::try_from(taken).unwrap_or(usize::MAX));
                Ok(Some(piece.freeze()))
            }
            Kept::Nothing => Ok(None),
        }
    }
}

async fn begin_file(
    disk: &mut BufferLease,
    begun: &[u8],
    piece: &[u8],
) -> Result<File, SpoolError> {
    if !disk.grow_to((begun.len() + piece.len()) as u64) {
        return Err(SpoolError::NoRoom);
    }
    let mut file = File::from_std(tempfile::tempfile()?);
    write(&mut file, 0, begun).await?;
    write(&mut file, begun.len() as u64, piece).await?;
    Ok(file)
}

async fn write(file: &mut File, offset: u64, piece: &[u8]) -> Result<(), std::io::Error> {
    file.seek(SeekFrom::Start(offset)).await?;
    file.write_all(piece).await?;
    // Errors of the disk show here, and what is read next is what was written.
    file.flush().await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;
    use crate::gateway::budget::BufferBudget;

    fn spool(budget: &BufferBudget) -> Spool {
        Spool::new(budget.lease(), BufferBudget::new(1 << 30).lease())
    }

    async fn whole(spool: &mut Spool) -> Vec<u8> {
        let mut read = Vec::new();
        while (read.len() as u64) < spool.length() {
            let piece = spool.read(read.len() as u64).await.unwrap().unwrap();
            assert!(!piece.is_empty());
            read.extend_from_slice(&piece);
        }
        read
    }

    #[tokio::test]
    async fn what_came_can_be_read_again_however_long_it_is() {
        for pieces in [1, 15, 16, 17, 80] {
            let budget = BufferBudget::new(1 << 30);
            let mut spool = spool(&budget);
            let mut sent = Vec::new();
            for number in 0..pieces {
                let piece = Bytes::from(vec![number; 64 * 1024]);
                spool.append(&piece).await.unwrap();
                sent.extend_from_slice(&piece);
                // Reading in between moves nothing.
                assert_eq!(spool.read(0).await.unwrap().unwrap().first(), Some(&0));
            }
            assert!(whole(&mut spool).await == sent, "{pieces} pieces");
            let free = budget.lease().grow((1 << 30) - 1024 * 1024);
            assert!(free, "only the first megabyte is in memory");
        }
    }

    #[tokio::test]
    async fn of_what_was_cancelled_nothing_is_read() {
        let mut spool = spool(&BufferBudget::new(1 << 30));
        let kept = Bytes::from(vec![7; IN_MEMORY]);
        spool.append(&kept).await.unwrap();
        let tail = Bytes::from_static(b"777");
        spool.append(&tail).await.unwrap();
        for waits in 1..20 {
            let cancelled = Bytes::from(vec![8; PIECE]);
            let mut append = Box::pin(spool.append(&cancelled));
            let mut has_ended = false;
            // Further each time, as far as a wait before its end.
            for _ in 0..waits {
                has_ended = has_ended || append.as_mut().now_or_never().is_some();
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            drop(append);
            if has_ended {
                break;
            }
            assert!(whole(&mut spool).await == [kept.clone(), tail.clone()].concat());
        }
    }

    #[tokio::test]
    async fn what_is_not_worth_the_disk_is_not_kept_once_it_is_long() {
        let budget = BufferBudget::new(IN_MEMORY as u64);
        let mut spool = spool(&budget);
        spool.keep_off_the_disk();
        let half = Bytes::from(vec![7; IN_MEMORY / 2]);
        spool.append(&half).await.unwrap();
        spool.append(&half).await.unwrap();
        assert!(spool.is_whole());
        spool.append(&half).await.unwrap();
        assert!(!spool.is_whole());
        assert_eq!(spool.read(0).await.unwrap(), None);
        assert!(budget.lease().grow(IN_MEMORY as u64), "and holds nothing");
    }

    #[tokio::test]
    async fn without_room_nothing_is_kept() {
        let budget = BufferBudget::new(10);
        let mut spool = spool(&budget);
        spool
            .append(&Bytes::from_static(b"0123456789"))
            .await
            .unwrap();
        let refused = spool.append(&Bytes::from_static(b"x")).await;
        assert!(matches!(refused, Err(SpoolError::NoRoom)));
    }
}
